import { join } from 'node:path';
import { app, Menu, Notification, nativeImage, powerSaveBlocker, Tray } from 'electron';
import { createClient } from '../contract/client.ts';
import { type Activity, followActivity, IDLE, summaryOf } from './activity.ts';
import type { DesktopTexts } from './texts/index.ts';
import { createNotifier, createProgressBar, createWakefulness, fillTray } from './tray.ts';

type Deps = {
  readonly texts: DesktopTexts;
  readonly resources: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly window: () => { setProgressBar(share: number): void; isFocused(): boolean } | undefined;
  readonly front: () => void;
  readonly show: (place: string) => void;
  readonly openFiles: () => void;
  readonly signal: AbortSignal;
};

const TRAY_PIXELS = 22;

/** Shows on the desktop what the service does: tray, notifications, progress, and a computer that stays awake. */
export const showStatus = (deps: Deps): { runningJobs: () => number } => {
  const { texts, window, front, show, openFiles, signal } = deps;
  const client = createClient({ baseUrl: deps.baseUrl, key: deps.key });
  const icon = nativeImage.createFromPath(join(deps.resources, 'icons', 'icon.png'));
  const updateTray = fillTray({
    tray: new Tray(icon.resize({ width: TRAY_PIXELS, height: TRAY_PIXELS })),
    buildMenu: (template) => Menu.buildFromTemplate(template),
    texts,
    actions: {
      open: front,
      openFiles,
      // The event of the change updates the tray.
      setPaused: (isPaused) => void client.call(isPaused ? 'pauseQueue' : 'resumeQueue'),
      quit: () => app.quit(),
    },
  });
  const views = [updateTray, createProgressBar(window), createWakefulness(powerSaveBlocker)];
  let activity: Activity = IDLE;
  const onActivity = (next: Activity) => {
    activity = next;
    const summary = summaryOf(next);
    for (const view of views) view(summary);
  };
  onActivity(IDLE);
  const notify = createNotifier({
    create: (options) => new Notification({ ...options, icon }),
    texts,
    isWatching: () => window()?.isFocused() === true,
    show,
  });
  void followActivity({ client, signal, onActivity, onEnded: notify });
  return { runningJobs: () => summaryOf(activity).running };
};
