import type { Clock } from '../base/clock.ts';

/** One step of work; begins anew another time if the signal aborts it. */
export type IdleTask = (signal: AbortSignal) => Promise<void>;

type Deps = {
  readonly clock: Clock;
  /** Whether jobs run, beside those that hold. */
  readonly isBusy: () => boolean;
  /** How long no job must run before work begins. Default 1 second. */
  readonly idleMs?: number;
};

const IDLE_MS = 1000;

/** Work that only makes later jobs faster, such as trials: a task at a time while no job runs, stopped when one begins. */
export class IdleWork {
  readonly #deps: Deps;
  readonly #sources: (() => IdleTask | undefined)[] = [];
  readonly #closing = new AbortController();
  #holds = 0;
  #running: { readonly done: Promise<void>; readonly controller: AbortController } | undefined;
  #cancelTimer = () => {};

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether a job runs. */
  get isBusy(): boolean {
    return this.#holds > 0 || this.#deps.isBusy();
  }

  /** `next` gives the task that is due; it is asked again after each. Earlier sources go first. */
  add(next: () => IdleTask | undefined): void {
    this.#sources.push(next);
  }

  /** A job begins: stops the running task. Call the returned function when the job has ended. */
  hold(): () => void {
    this.#holds += 1;
    this.#cancelTimer();
    this.#running?.controller.abort();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.schedule();
    };
  }

  /** Begins the next task once no job has run for a while. Call it when there is new work. */
  schedule(): void {
    this.#cancelTimer();
    if (this.#holds > 0 || this.#running || this.#closing.signal.aborted || !this.#hasWork()) return;
    const { clock, idleMs = IDLE_MS } = this.#deps;
    this.#cancelTimer = clock.schedule(idleMs, () => this.#begin());
  }

  /** Stops the running task, and begins no other. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelTimer();
    await this.#running?.done;
  }

  #hasWork(): boolean {
    return this.#sources.some((next) => next() !== undefined);
  }

  #begin(): void {
    if (this.isBusy) {
      this.schedule();
      return;
    }
    for (const next of this.#sources) {
      const task = next();
      if (task === undefined) continue;
      const controller = new AbortController();
      const signal = AbortSignal.any([controller.signal, this.#closing.signal]);
      const done = task(signal).finally(() => {
        this.#running = undefined;
        this.schedule();
      });
      this.#running = { done, controller };
      return;
    }
  }
}
