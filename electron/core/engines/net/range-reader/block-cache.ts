/** A least-recently-used cache of a file's blocks, by index. */
export class BlockCache {
  readonly #blocks = new Map<number, Buffer>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(index: number): Buffer | undefined {
    const block = this.#blocks.get(index);
    if (block === undefined) return undefined;
    this.#blocks.delete(index);
    this.#blocks.set(index, block);
    return block;
  }

  has(index: number): boolean {
    return this.#blocks.has(index);
  }

  set(index: number, block: Buffer): void {
    this.#blocks.delete(index);
    this.#blocks.set(index, block);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#capacity) break;
      this.#blocks.delete(oldest);
    }
  }

  clear(): void {
    this.#blocks.clear();
  }
}
