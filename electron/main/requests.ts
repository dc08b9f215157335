import { z } from 'zod';

/** What a page of the program may ask of it. */
const PageAction = z.enum(['restart', 'reopen', 'logs']);
export type PageAction = z.output<typeof PageAction>;

/** The window's appearance: the system's, or the person's choice. */
export const Theme = z.enum(['system', 'light', 'dark']);
export type Theme = z.output<typeof Theme>;

/** What the service's window asks of the program, and tells it. */
export type WindowActions = {
  /** A one-time token for a session; undefined without a service. */
  readonly token: () => string | undefined;
  readonly signedIn: () => void;
  readonly setRecording: (isOn: boolean) => void;
  readonly setUploading: (isOn: boolean) => void;
  readonly recordingSaved: () => void;
  readonly setTheme: (theme: Theme) => void;
  /** Keeps the window above all others. */
  readonly setOnTop: (isOn: boolean) => void;
};

type Sender = { readonly url: string; readonly parent: unknown };
type Event = { readonly senderFrame: Sender | null };

/** The part of Electron's `ipcMain` that this module uses. Its channels are those of the preload script. */
type IpcMain = {
  on(channel: string, listener: (event: Event, ...args: unknown[]) => void): unknown;
  handle(channel: string, listener: (event: Event, ...args: unknown[]) => unknown): void;
};

type Deps = {
  /** Whether an address is the page that the program shows in place of the service. */
  readonly isOwnPage: (url: string) => boolean;
  /** Whether an address belongs to the service's window. */
  readonly isService: (url: string) => boolean;
  readonly page: Readonly<Record<PageAction, () => void>>;
  readonly window: WindowActions;
};

/**
 * Performs what the program's own pages and the service's window ask for. Requests of other senders, also of frames in such
 * a page, and arguments that are none of the expected are dropped.
 */
export const answerRequests = (ipc: IpcMain, { isOwnPage, isService, page, window }: Deps): void => {
  const isFrom = ({ senderFrame }: Event, isAllowed: (url: string) => boolean): boolean =>
    senderFrame !== null && senderFrame.parent === null && isAllowed(senderFrame.url);
  const on = <T extends z.ZodType>(
    channel: string,
    isAllowed: (url: string) => boolean,
    schema: T,
    act: (args: z.output<T>) => void,
  ) =>
    ipc.on(channel, (event, ...args) => {
      const parsed = isFrom(event, isAllowed) ? schema.safeParse(args) : undefined;
      if (parsed?.success === true) act(parsed.data);
    });
  on('earshot:ask', isOwnPage, z.tuple([PageAction]), ([action]) => page[action]());
  on('earshot:signed-in', isService, z.tuple([]), () => window.signedIn());
  on('earshot:recording', isService, z.tuple([z.boolean()]), ([isOn]) => window.setRecording(isOn));
  on('earshot:uploading', isService, z.tuple([z.boolean()]), ([isOn]) => window.setUploading(isOn));
  on('earshot:recording-saved', isService, z.tuple([]), () => window.recordingSaved());
  on('earshot:on-top', isService, z.tuple([z.boolean()]), ([isOn]) => window.setOnTop(isOn));
  on('earshot:theme', isService, z.tuple([Theme]), ([theme]) => window.setTheme(theme));
  ipc.handle('earshot:token', (event) => (isFrom(event, isService) ? window.token() : undefined));
};
