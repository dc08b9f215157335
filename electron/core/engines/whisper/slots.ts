/**
 * How many jobs run side by side. First come, first served; a job that wants to run alone waits for all
 * others to end and holds those behind it back.
 */
export class Slots {
  readonly #size: number;
  readonly #waiting: { need: number; start: () => void }[] = [];
  #free: number;

  constructor(size: number) {
    this.#size = size;
    this.#free = size;
  }

  get idle(): boolean {
    return this.#free === this.#size && this.#waiting.length === 0;
  }

  /**
   * Waits for a place and answers the function that gives it back. An aborted signal ends the waiting with
   * its reason.
   */
  async take(alone: boolean, signal?: AbortSignal): Promise<() => void> {
    const need = alone ? this.#size : 1;
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const entry = { need, start: resolve };
      const leave = () => {
        const index = this.#waiting.indexOf(entry);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        reject(signal?.reason);
        this.#next();
      };
      entry.start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(entry);
      this.#next();
    });
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#free += need;
      this.#next();
    };
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && first.need <= this.#free; first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= first.need;
      first.start();
    }
  }
}
