/** Calls `onStall` once when nothing was heard for a while. Must be stopped. */
export class StallTimer {
  readonly #milliseconds: number;
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(seconds: number, onStall: () => void) {
    this.#milliseconds = seconds * 1000;
    this.#onStall = onStall;
  }

  /** Something came, or waiting begins: counts anew. */
  touch(): void {
    if (this.#timer === null) {
      this.#timer = setTimeout(this.#onStall, this.#milliseconds);
      this.#timer.unref();
    } else {
      this.#timer.refresh();
    }
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
