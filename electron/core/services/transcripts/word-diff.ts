import { createYielder, type YieldIfDue } from '../../base/event-loop.ts';

/** Most edits that are compared at once: bounds the memory (2 MB) and, with the number of words, the time. */
const MAX_EDITS = 1000;

/** A word of the first list, by index, that stays as a word of the second. */
export type WordPair = readonly [number, number];

type Point = { readonly x: number; readonly y: number };
type Lists = { readonly a: Int32Array; readonly b: Int32Array };

/** The comparison of the lists up to `end`, from a point that is `edits` edits away from it. */
type Comparison = Point & {
  readonly edits: number;
  /**
   * `reached[d][i]`: the smallest x on a diagonal from which at most `d` edits lead to `end`. The diagonal is numbered
   * `(end.x - x) - (end.y - y) = 2 * i - d`.
   */
  readonly reached: readonly Int32Array[];
};

const UNREACHED = 0x7fffffff;

/** Words between two checks of the clock while words are numbered. */
const BATCH = 2000;

/** Numbers words so that equal words get equal numbers: comparing numbers is cheaper than comparing strings. */
const numberWords = async (
  words: readonly string[],
  numbers: Map<string, number>,
  yieldIfDue: YieldIfDue,
): Promise<Int32Array> => {
  const numbered = new Int32Array(words.length);
  for (const [index, word] of words.entries()) {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    numbered[index] = number;
    if (index % BATCH === 0) await yieldIfDue();
  }
  return numbered;
};

/** Row `edits` of `reached`: each diagonal continues from its neighbors in the row before, and then along equal words. */
const nextRow = ({ a, b }: Lists, end: Point, reached: readonly Int32Array[]): Int32Array => {
  const edits = reached.length;
  const one = reached.at(-1);
  const two = reached.at(-2);
  const row = new Int32Array(edits + 1);
  for (let i = 0; i <= edits; i++) {
    const offset = end.y - end.x + 2 * i - edits;
    const inserted = one?.[i] ?? UNREACHED;
    const deleted = one?.[i - 1] ?? UNREACHED;
    let x = edits === 0 ? end.x : (two?.[i - 1] ?? UNREACHED);
    if (inserted !== UNREACHED && inserted + offset >= 0) x = Math.min(x, inserted);
    if (deleted !== UNREACHED && deleted > 0) x = Math.min(x, deleted - 1);
    while (x !== UNREACHED && x > 0 && x + offset > 0 && a[x - 1] === b[x + offset - 1]) x--;
    row[i] = x;
  }
  return row;
};

/** Compares backwards from `end`, to the beginning of both lists or as far as `maxEdits` edits lead. */
const compare = async (
  lists: Lists,
  end: Point,
  maxEdits: number,
  yieldIfDue: YieldIfDue,
): Promise<Comparison> => {
  const reached: Int32Array[] = [];
  let furthest = { ...end, edits: 0 };
  for (let edits = 0; edits <= maxEdits && furthest.x + furthest.y > 0; edits++) {
    const row = nextRow(lists, end, reached);
    reached.push(row);
    for (let i = 0; i <= edits; i++) {
      const x = row[i] ?? UNREACHED;
      const y = end.y - end.x + x + 2 * i - edits;
      if (x !== UNREACHED && x + y < furthest.x + furthest.y) furthest = { x, y, edits };
    }
    await yieldIfDue();
  }
  return { ...furthest, reached };
};

/** The words that stay between a comparison's point and `end`; of several ways the one that deletes first. */
const pairsOf = ({ a, b }: Lists, end: Point, { reached, ...start }: Comparison): WordPair[] => {
  const pairs: WordPair[] = [];
  let { x, y, edits } = start;
  while (x < end.x || y < end.y) {
    if (x < end.x && y < end.y && a[x] === b[y]) {
      pairs.push([x++, y++]);
      continue;
    }
    edits--;
    const diagonal = end.x - (x + 1) - (end.y - y);
    const limit = x < end.x ? reached[edits]?.[(diagonal + edits) / 2] : undefined;
    if (limit !== undefined && x + 1 >= limit) x++;
    else y++;
  }
  return pairs;
};

/**
 * A longest common subsequence of two lists of words, as pairs of indices in ascending order. Beyond `maxEdits`
 * edits the lists are compared window by window from their ends, which may find fewer pairs. Takes
 * O((n + m) * maxEdits) time and O(n + m + maxEdits ** 2) memory, and yields to the event loop.
 *
 * Myers, "An O(ND) Difference Algorithm and Its Variations" (Algorithmica 1, 1986), the greedy algorithm of section 4;
 * the limit follows libxdiff (git/xdiff/xdiffi.c, `xdl_split`), which continues from the furthest point as well.
 */
export const commonWords = async (
  before: readonly string[],
  after: readonly string[],
  { maxEdits = MAX_EDITS, yieldIfDue = createYielder() }: { maxEdits?: number; yieldIfDue?: YieldIfDue } = {},
): Promise<WordPair[]> => {
  const numbers = new Map<string, number>();
  const a = await numberWords(before, numbers, yieldIfDue);
  const lists = { a, b: await numberWords(after, numbers, yieldIfDue) };
  const windows: WordPair[][] = [];
  for (let end: Point = { x: before.length, y: after.length }; end.x > 0 && end.y > 0; ) {
    const comparison = await compare(lists, end, maxEdits, yieldIfDue);
    windows.push(pairsOf(lists, end, comparison));
    end = comparison;
  }
  return windows.reverse().flat();
};
