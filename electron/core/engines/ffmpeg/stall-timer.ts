import { wasSuspended } from '../net/suspend.ts';

/**
 * Seconds without output after which ffmpeg or ffprobe is killed. Not a setting: `network.stallSeconds` limits
 * downloads, while a program that reads a local file or our range reader is either working or stuck.
 */
export const DEFAULT_STALL_SECONDS = 60;

/** Calls `onStall` once after `seconds` without a `touch`. Runs only between `resume` and `pause`. */
export class StallTimer {
  readonly #seconds: number;
  readonly #onStall: () => void;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | null = null;
  #touchedAt = 0;

  /** `now`: the wall clock in milliseconds, which tells a sleep of the machine from a stall. */
  constructor(seconds: number, onStall: () => void, now: () => number = Date.now) {
    this.#seconds = seconds;
    this.#onStall = onStall;
    this.#now = now;
  }

  /** Starts from zero. */
  resume(): void {
    this.pause();
    this.#touchedAt = this.#now();
    this.#timer = setTimeout(() => this.#expire(), this.#seconds * 1000);
    this.#timer.unref();
  }

  /** Restarts from zero, unless paused. */
  touch(): void {
    this.#touchedAt = this.#now();
    this.#timer?.refresh();
  }

  pause(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #expire(): void {
    if (wasSuspended(this.#now() - this.#touchedAt, this.#seconds)) this.resume();
    else this.#onStall();
  }
}
