/** The least limit. */
const MIN_LIMIT_MS = 60_000;
/** The decoder may try a difficult window many times before it goes on to the next. */
const TIMES_MEASURED = 60;
/** Whisper encodes a whole window of 30 s, however short the audio is. */
const MIN_SECONDS = 30;
/** Before a process was measured: time to load a large model from a slow disk, and 10 s a second of audio. */
const LOADING_MS = 10 * 60_000;
const UNMEASURED_MS_PER_SECOND = 10_000;

/** Audio that a task works on. */
export type Work = {
  /** The task, its model and its device: tasks of one kind run at one pace. */
  readonly kind: string;
  readonly seconds: number;
};

/** How long a task of a process may go without progress: many times what the slowest of its kind took in that process. */
export class StallLimits {
  /** Milliseconds a second of audio, with the time to load the model. */
  readonly #slowest = new Map<string, number>();

  limitMs({ kind, seconds }: Work): number {
    const pace = this.#slowest.get(kind);
    const atLeast = Math.max(MIN_SECONDS, seconds);
    if (pace === undefined) return LOADING_MS + UNMEASURED_MS_PER_SECOND * atLeast;
    return Math.max(MIN_LIMIT_MS, TIMES_MEASURED * pace * atLeast);
  }

  /** A task was done. */
  add({ kind, seconds }: Work, elapsedMs: number): void {
    const pace = elapsedMs / Math.max(MIN_SECONDS, seconds);
    this.#slowest.set(kind, Math.max(pace, this.#slowest.get(kind) ?? 0));
  }
}
