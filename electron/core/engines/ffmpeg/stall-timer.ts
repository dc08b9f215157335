/** Calls `onStall` once when nothing was heard for a while. Counts only between `resume` and `pause`. */
export class StallTimer {
  readonly #milliseconds: number;
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(seconds: number, onStall: () => void) {
    this.#milliseconds = seconds * 1000;
    this.#onStall = onStall;
  }

  /** Counts anew from now. */
  resume(): void {
    this.pause();
    this.#timer = setTimeout(this.#onStall, this.#milliseconds);
    this.#timer.unref();
  }

  /** Something was heard: counts anew, unless paused. */
  touch(): void {
    this.#timer?.refresh();
  }

  pause(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
