import { machineSlept } from '../net/slept.ts';

/** Calls `onStall` once when nothing was heard for a while. Counts only between `resume` and `pause`. */
export class StallTimer {
  readonly #seconds: number;
  readonly #onStall: () => void;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | null = null;
  #heard = 0;

  /** `now`: the wall clock in milliseconds, by which a sleep of the machine is told from a stall. */
  constructor(seconds: number, onStall: () => void, now: () => number = Date.now) {
    this.#seconds = seconds;
    this.#onStall = onStall;
    this.#now = now;
  }

  /** Counts anew from now. */
  resume(): void {
    this.pause();
    this.#heard = this.#now();
    this.#timer = setTimeout(() => this.#expire(), this.#seconds * 1000);
    this.#timer.unref();
  }

  /** Something was heard: counts anew, unless paused. */
  touch(): void {
    this.#heard = this.#now();
    this.#timer?.refresh();
  }

  pause(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #expire(): void {
    if (machineSlept(this.#now() - this.#heard, this.#seconds)) this.resume();
    else this.#onStall();
  }
}
