/** A run of a file's bytes. */
type Extent = { readonly start: number; readonly bytes: Buffer };

const endOf = ({ start, bytes }: Extent): number => start + bytes.length;

/** A least-recently-used cache of parts of a file, which do not overlap. */
export class ExtentCache {
  /** The least recently used one first. */
  readonly #extents: Extent[] = [];
  readonly #capacity: number;
  #size = 0;

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The bytes from a position to the end of the part that it is in; undefined where nothing is cached. */
  from(position: number): Buffer | undefined {
    const index = this.#extents.findIndex((extent) => extent.start <= position && position < endOf(extent));
    const [found] = index < 0 ? [] : this.#extents.splice(index, 1);
    if (found === undefined) return undefined;
    this.#extents.push(found);
    return found.bytes.subarray(position - found.start);
  }

  /** Where the next part after a position starts; infinite if there is none. */
  nextAfter(position: number): number {
    return Math.min(...this.#extents.flatMap(({ start }) => (start > position ? [start] : [])));
  }

  /** Adds bytes none of which is cached, and drops the least recently used parts beyond the capacity. */
  add(start: number, bytes: Buffer): void {
    this.#extents.push({ start, bytes });
    this.#size += bytes.length;
    while (this.#size > this.#capacity) this.#size -= this.#extents.shift()?.bytes.length ?? this.#size;
  }

  clear(): void {
    this.#extents.length = 0;
    this.#size = 0;
  }
}
