/** Time is counted in so many steps: a stall is noticed after at most one step more than asked for. */
const STEPS = 20;

/**
 * Calls `onStall` once when nothing was heard for a while. Must be stopped. Counts ticks instead of reading a
 * clock: a machine that slept, or a process that was stopped, makes one tick late, and that is no stall.
 */
export class StallTimer {
  readonly #stepMs: number;
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout | null = null;
  #steps = 0;

  constructor(seconds: number, onStall: () => void) {
    this.#stepMs = (seconds * 1000) / STEPS;
    this.#onStall = onStall;
  }

  /** Something came, or waiting begins: counts anew. */
  touch(): void {
    this.#steps = 0;
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#tick(), this.#stepMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    this.#steps += 1;
    if (this.#steps <= STEPS) return;
    this.stop();
    this.#onStall();
  }
}
