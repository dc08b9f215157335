import { z } from 'zod';

/** What a page of the program may ask of it. */
const PageAction = z.enum(['restart', 'reopen', 'logs']);
export type PageAction = z.output<typeof PageAction>;

/** The channel of the preload script's `ask`. */
const CHANNEL = 'earshot:ask';

type Sender = { readonly url: string; readonly parent: unknown };

/** The part of Electron's `ipcMain` that this module uses. */
type IpcMain = {
  on(
    channel: string,
    listener: (event: { readonly senderFrame: Sender | null }, ...args: unknown[]) => void,
  ): unknown;
};

/**
 * Performs what the program's own pages ask for. Requests of other senders, also of frames in such a page, and arguments
 * that are no action are dropped.
 */
export const answerRequests = (
  ipc: IpcMain,
  isOwnPage: (url: string) => boolean,
  actions: Readonly<Record<PageAction, () => void>>,
): void => {
  ipc.on(CHANNEL, ({ senderFrame }, ...args) => {
    if (senderFrame === null || senderFrame.parent !== null || !isOwnPage(senderFrame.url)) return;
    const parsed = z.tuple([PageAction]).safeParse(args);
    if (parsed.success) actions[parsed.data[0]]();
  });
};
