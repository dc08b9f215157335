import { deflateSync } from 'node:zlib';

/** The limit of OpenAI's own decoding: text that compresses better than this has got stuck. */
const MOST_COMPRESSION = 2.4;
const LONGEST_PERIOD = 30;
/** About what 30 seconds of speech come to: the longer a text, the better it compresses without any loop. */
const WINDOW_CHARACTERS = 800;

/** A phrase of `period` words said `count` times in a row, from word `start` on. */
export type Loop = { start: number; period: number; count: number };

/**
 * How much shorter zlib makes the text: bytes before over bytes after. About 1 for ordinary sentences, far
 * above for loops. As in `compression_ratio` of openai/whisper (whisper/utils.py).
 */
export const compressionRatio = (text: string): number => {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
};

/** People say "no no no"; nobody says a whole sentence three times over. */
const leastCount = (period: number): number => {
  if (period === 1) return 6;
  if (period === 2) return 5;
  return period <= 4 ? 4 : 3;
};

const normal = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '') || word;

/** How often the phrase of `period` words at `start` follows on itself. */
const countAt = (words: readonly string[], start: number, period: number): number => {
  let matching = 0;
  while (
    start + period + matching < words.length &&
    words[start + matching] === words[start + period + matching]
  ) {
    matching += 1;
  }
  return 1 + Math.floor(matching / period);
};

/**
 * Phrases that are repeated over and over, in the order of the words; case and punctuation are not looked
 * at. Of the possible readings of one stretch, that with the shortest phrase.
 */
export const findLoops = (words: readonly string[]): Loop[] => {
  const plain = words.map(normal);
  const loops: Loop[] = [];
  let start = 0;
  while (start < plain.length) {
    let found: Loop | undefined;
    for (let period = 1; period <= LONGEST_PERIOD && !found; period += 1) {
      const count = countAt(plain, start, period);
      if (count >= leastCount(period)) found = { start, period, count };
    }
    if (found) loops.push(found);
    start += found ? found.period * found.count : 1;
  }
  return loops;
};

const windowsOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / WINDOW_CHARACTERS) }, (_, index) =>
    text.slice(index * WINDOW_CHARACTERS, (index + 1) * WINDOW_CHARACTERS),
  );

/** Whether recognition got stuck: the text compresses too well, or a phrase is repeated over and over. */
export const isRepetitive = (text: string, words: readonly string[]): boolean =>
  windowsOf(text).some((window) => compressionRatio(window) > MOST_COMPRESSION) ||
  findLoops(words).length > 0;

/** The words with every loop cut down to its first time. `wordOf` names the word of an item. */
export const collapseLoops = <Item>(items: readonly Item[], wordOf: (item: Item) => string): Item[] => {
  const loops = findLoops(items.map(wordOf));
  return items.filter(
    (_, index) =>
      !loops.some(({ start, period, count }) => index >= start + period && index < start + period * count),
  );
};
