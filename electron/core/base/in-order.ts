/** Serializes work per key. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work of this key has settled. */
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

/** An item, and what was made of it. */
export type InOrder<Item, Result> = { readonly item: Item; readonly result: Result };

/**
 * Works on items as they come, on at most `limit` at once, and yields the results in the items' order. After a failure, or
 * when the consumer leaves, it waits for the work that has begun: abort that first.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<InOrder<Item, Result>> {
  const running: { readonly item: Item; readonly result: Promise<Result> }[] = [];
  const takeFirst = async (): Promise<InOrder<Item, Result>[]> => {
    const [first] = running;
    if (first === undefined) return [];
    const result = await first.result;
    running.shift();
    return [{ item: first.item, result }];
  };
  try {
    for await (const item of items) {
      const result = work(item);
      // Awaited in turn; until then a rejection is no unhandled one.
      result.catch(() => {});
      running.push({ item, result });
      if (running.length >= limit) yield* await takeFirst();
    }
    while (running.length > 0) yield* await takeFirst();
  } finally {
    await Promise.allSettled(running.map(({ result }) => result));
  }
}
