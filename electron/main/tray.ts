import type { MenuItemConstructorOptions } from 'electron';
import type { Summary } from './activity.ts';
import type { DesktopTexts } from './texts/index.ts';

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
