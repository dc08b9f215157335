import type { MenuItemConstructorOptions } from 'electron';
import type { EndedJob, Summary } from './activity.ts';
import type { DesktopTexts } from './texts/index.ts';

/** The part of Electron's `Notification` that this module uses. */
type NotificationPart = {
  on(event: 'click' | 'close', listener: () => void): unknown;
  show(): void;
};

type Deps = {
  readonly create: (options: { title: string; body: string }) => NotificationPart;
  readonly texts: DesktopTexts;
  /** Whether the person looks at the window, which says so itself. */
  readonly isWatching: () => boolean;
  readonly show: (place: string) => void;
};

/** Returns the function that shows a notification when a job has ended; a click on it opens the transcript. */
export const createNotifier = ({ create, texts, isWatching, show }: Deps): ((job: EndedJob) => void) => {
  // Until they are closed: a notification that is garbage collected loses its listeners.
  const shown = new Set<NotificationPart>();
  return ({ id, name, failure }) => {
    if (isWatching()) return;
    const notification = create({
      title: failure === undefined ? texts.completed : texts.failed,
      body: [name, failure ?? ''].filter((part) => part !== '').join(': '),
    });
    shown.add(notification);
    notification.on('close', () => shown.delete(notification));
    notification.on('click', () => {
      shown.delete(notification);
      show(`/transcript/${id}`);
    });
    notification.show();
  };
};

/** The part of Electron's `powerSaveBlocker` that this module uses. */
type PowerSaveBlocker = {
  start(type: 'prevent-app-suspension'): number;
  stop(id: number): unknown;
};

/** Keeps the computer from sleeping while a transcription runs; the screen may turn off. */
export const createWakefulness = (blocker: PowerSaveBlocker): ((summary: Summary) => void) => {
  let id: number | undefined;
  return ({ running }) => {
    if (running > 0) id ??= blocker.start('prevent-app-suspension');
    else if (id !== undefined) {
      blocker.stop(id);
      id = undefined;
    }
  };
};

/** The part of Electron's `BrowserWindow` that this module uses. */
type ProgressBar = { setProgressBar(share: number): void };

/** Electron's value for no progress bar. */
const NONE = -1;

/** Shows the share of the running jobs that is done on the dock or taskbar, where the window is. */
export const createProgressBar = (window: () => ProgressBar | undefined): ((summary: Summary) => void) => {
  let shown: ProgressBar | undefined;
  let value = NONE;
  return ({ share = NONE }) => {
    const current = window();
    const rounded = Math.round(share * 100) / 100;
    if (current === undefined || (current === shown && rounded === value)) return;
    shown = current;
    value = rounded;
    current.setProgressBar(rounded);
  };
};

type Item = MenuItemConstructorOptions;

export type TrayActions = {
  readonly open: () => void;
  readonly openFiles: () => void;
  readonly setPaused: (isPaused: boolean) => void;
  readonly quit: () => void;
};

/** One line on the queue: `Transcribing: 45 % · 2 waiting`; without a share, `Transcribing · 2 waiting`. */
export const describeActivity = (
  { running, waiting, isPaused, share }: Summary,
  texts: DesktopTexts,
): string => {
  const percent = share === undefined ? undefined : Math.floor(share * 100);
  const parts = [
    ...(running > 0 ? [texts.running(running, percent)] : []),
    ...(waiting > 0 ? [texts.waiting(waiting)] : []),
    ...(isPaused ? [texts.paused] : []),
  ];
  return parts.length === 0 ? texts.idle : parts.join(' · ');
};

/**
 * The tray's menu: the state of the queue, and quick actions. Without the percentage: the system replaces the whole menu at a
 * change, and a click that comes meanwhile would miss.
 */
export const trayTemplate = (summary: Summary, texts: DesktopTexts, actions: TrayActions): Item[] => [
  { label: describeActivity({ ...summary, share: undefined }, texts), enabled: false },
  { type: 'separator' },
  { label: texts.open, click: actions.open },
  { label: texts.transcribe, click: actions.openFiles },
  {
    label: summary.isPaused ? texts.resume : texts.pause,
    click: () => actions.setPaused(!summary.isPaused),
  },
  { type: 'separator' },
  { label: texts.quit, click: actions.quit },
];

/** The part of Electron's `Tray` that this module uses. */
type TrayPart<M> = {
  setToolTip(text: string): void;
  setContextMenu(menu: M): void;
  on(event: 'click', listener: () => void): unknown;
};

type TrayDeps<M> = {
  readonly tray: TrayPart<M>;
  readonly buildMenu: (template: Item[]) => M;
  readonly texts: DesktopTexts;
  readonly actions: TrayActions;
};

/** Fills the tray; the returned function updates it. The menu is replaced only when its words change. */
export const fillTray = <M>({
  tray,
  buildMenu,
  texts,
  actions,
}: TrayDeps<M>): ((summary: Summary) => void) => {
  let menuWords: string | undefined;
  let toolTip: string | undefined;
  tray.on('click', actions.open);
  return (summary) => {
    const activity = `Earshot – ${describeActivity(summary, texts)}`;
    if (activity !== toolTip) tray.setToolTip(activity);
    toolTip = activity;
    const template = trayTemplate(summary, texts, actions);
    const words = template.map(({ label }) => label).join('\n');
    if (words !== menuWords) tray.setContextMenu(buildMenu(template));
    menuWords = words;
  };
};
