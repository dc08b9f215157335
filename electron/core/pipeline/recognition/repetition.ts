import { deflateSync } from 'node:zlib';

/** Text that compresses better than this is repetitive (openai/whisper, `compression_ratio_threshold`). */
const MAX_COMPRESSION_RATIO = 2.4;
/** In words. */
const MAX_PERIOD = 30;
/** About 30 seconds of speech: the longer a text, the better it compresses even without a loop. */
const WINDOW_CHARACTERS = 800;

/** A phrase of `period` words, `count` times in a row, from word `start` on. */
export type Loop = { start: number; period: number; count: number };

/** Its start in seconds. */
type TimedWord = { readonly word: string; readonly start: number };

/**
 * Bytes of the text over bytes of its zlib form, as `compression_ratio` of openai/whisper (whisper/utils.py): about 1
 * for ordinary sentences, far more for loops.
 */
export const compressionRatio = (text: string): number => {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
};

/** Repetitions that make a loop: people do say "no no no", but no sentence three times. */
const minCount = (period: number): number => {
  if (period === 1) return 6;
  if (period === 2) return 5;
  return period <= 4 ? 4 : 3;
};

/** A word without case and punctuation. */
export const normalize = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '') || word;

/** How often the phrase of `period` words at `start` repeats without a gap. */
const repetitionsAt = (words: readonly string[], start: number, period: number): number => {
  let matching = 0;
  while (
    start + period + matching < words.length &&
    words[start + matching] === words[start + period + matching]
  ) {
    matching += 1;
  }
  return 1 + Math.floor(matching / period);
};

/** The loops in order, without regard to case and punctuation; of several readings, that with the shortest phrase. */
export const findLoops = (words: readonly string[]): Loop[] => {
  const normalized = words.map(normalize);
  const loops: Loop[] = [];
  let start = 0;
  while (start < normalized.length) {
    let loop: Loop | undefined;
    for (let period = 1; period <= MAX_PERIOD && !loop; period += 1) {
      const count = repetitionsAt(normalized, start, period);
      if (count >= minCount(period)) loop = { start, period, count };
    }
    if (loop) loops.push(loop);
    start += loop ? loop.period * loop.count : 1;
  }
  return loops;
};

const windowsOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / WINDOW_CHARACTERS) }, (_, index) =>
    text.slice(index * WINDOW_CHARACTERS, (index + 1) * WINDOW_CHARACTERS),
  );

/** Whether the decoder got stuck: the text compresses too well, or contains a loop. */
export const isRepetitive = (text: string, words: readonly string[]): boolean =>
  windowsOf(text).some((window) => compressionRatio(window) > MAX_COMPRESSION_RATIO) ||
  findLoops(words).length > 0;

/** No word is said in less; seconds. */
const MIN_SPOKEN_SECONDS = 0.1;

/** Whether a word repeats the one before it sooner than anybody can speak: a decoder at the end of its audio writes such. */
export const isEcho = (word: TimedWord, before: TimedWord | undefined): boolean =>
  before !== undefined &&
  word.start - before.start < MIN_SPOKEN_SECONDS &&
  normalize(word.word) === normalize(before.word);
