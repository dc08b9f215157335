/** Does one thing after the other for each key; different keys do not wait for each other. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` once everything asked for earlier with this key has ended, however it ended. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#tails.set(key, result);
    const forget = () => {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    };
    result.then(forget, forget);
    return result;
  }
}
