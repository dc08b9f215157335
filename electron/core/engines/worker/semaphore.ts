/**
 * A fair counting semaphore: permits are granted in order of arrival, and a waiter that needs all of them holds back
 * everyone behind it.
 */
export class Semaphore {
  readonly #permits: number;
  readonly #waiters: { permits: number; grant: () => void }[] = [];
  #available: number;

  constructor(permits: number) {
    this.#permits = permits;
    this.#available = permits;
  }

  get isIdle(): boolean {
    return this.#available === this.#permits && this.#waiters.length === 0;
  }

  /**
   * Waits for one permit, or for all of them if `exclusive`. Resolves with the function that releases them. An
   * aborted signal rejects with its reason.
   */
  async acquire(exclusive: boolean, signal?: AbortSignal): Promise<() => void> {
    const permits = exclusive ? this.#permits : 1;
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiter = { permits, grant: resolve };
      const abandon = () => {
        const index = this.#waiters.indexOf(waiter);
        if (index < 0) return;
        this.#waiters.splice(index, 1);
        reject(signal?.reason);
        this.#grantNext();
      };
      waiter.grant = () => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.#waiters.push(waiter);
      this.#grantNext();
    });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#available += permits;
      this.#grantNext();
    };
  }

  #grantNext(): void {
    for (let first = this.#waiters[0]; first && first.permits <= this.#available; first = this.#waiters[0]) {
      this.#waiters.shift();
      this.#available -= first.permits;
      first.grant();
    }
  }
}
