/** The event streams that are open, by the hash of the key that each was opened with. */
export class OpenStreams {
  readonly #open = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Counts a stream until the returned function is called, which is to be called once. */
  enter(keyHash: string): () => void {
    this.#open.set(keyHash, (this.#open.get(keyHash) ?? 0) + 1);
    return () => {
      const left = (this.#open.get(keyHash) ?? 1) - 1;
      if (left > 0) {
        this.#open.set(keyHash, left);
        return;
      }
      this.#open.delete(keyHash);
      for (const done of this.#waiting.get(keyHash) ?? []) done();
      this.#waiting.delete(keyHash);
    };
  }

  /** Resolves once no stream of the key is open. */
  async none(keyHash: string): Promise<void> {
    if (!this.#open.has(keyHash)) return;
    await new Promise<void>((done) => {
      this.#waiting.set(keyHash, [...(this.#waiting.get(keyHash) ?? []), done]);
    });
  }
}
