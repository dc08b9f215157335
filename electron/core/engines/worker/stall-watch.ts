const TICKS = 20;

/**
 * Calls `onStall` once after `limitMs` without a `touch`. Counts ticks of this process rather than time, so that a machine
 * that slept, or halted this process as well, leaves the other one its time.
 */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;

  constructor(limitMs: number, onStall: () => void) {
    this.#timer = setInterval(() => {
      this.#ticks += 1;
      if (this.#ticks === TICKS) onStall();
    }, limitMs / TICKS).unref();
  }

  /** Whether half of the limit has passed. */
  get isSilent(): boolean {
    return this.#ticks >= TICKS / 2;
  }

  touch(): void {
    this.#ticks = 0;
    this.#timer.refresh();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
