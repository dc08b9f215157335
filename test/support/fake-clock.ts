import type { Clock } from '../../electron/core/base/clock.ts';

type Timer = { readonly at: number; readonly action: () => void };

/** A clock that stands still until `advance`; both of its times move together unless `jump` sets the wall clock. */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 1_000_000;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#monotonic + milliseconds, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Moves the wall clock alone, as a person or NTP may. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Lets time pass, runs each timer at its time, and lets the promises that depend on it settle. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#monotonic + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#pass(next.at - this.#monotonic);
      next.action();
      await settled();
    }
    this.#pass(end - this.#monotonic);
    await settled();
  }

  #pass(milliseconds: number): void {
    this.#now += milliseconds;
    this.#monotonic += milliseconds;
  }
}

/** Lets all promises settle that wait for nothing but each other. */
export const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
