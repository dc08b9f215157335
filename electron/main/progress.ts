import type { Summary } from './activity.ts';

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
