import { setTimeout as delay } from 'node:timers/promises';

/** The longest that the end of the program waits for a recording; what the service has by then is kept anyway. */
const SAVE_LIMIT_MS = 10_000;

/** Follows whether the window records. `askToSave` tells the window to end its recording, and to say when it is stored. */
export const watchRecording = (askToSave: () => void) => {
  let isOn = false;
  let onSaved = (): void => undefined;
  return {
    isOn: (): boolean => isOn,
    set: (value: boolean): void => {
      isOn = value;
    },
    saved: (): void => onSaved(),
    /** Ends a recording and stores what it has. */
    save: async (): Promise<void> => {
      if (!isOn) return;
      const saved = new Promise<void>((resolve) => {
        onSaved = resolve;
      });
      askToSave();
      await Promise.race([saved, delay(SAVE_LIMIT_MS)]);
      isOn = false;
    },
  };
};
