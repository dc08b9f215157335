import { deflateSync } from 'node:zlib';
import { clamp, mean, roundMs } from '../../base/numbers.ts';
import { UNSPACED_SCRIPTS } from '../../base/text.ts';
import type { WhisperSegment, WhisperToken } from '../../engines/whisper/types.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';

/** Text that compresses better than this is repetitive (openai/whisper, `compression_ratio_threshold`). */
const MAX_COMPRESSION_RATIO = 2.4;
/** In words. */
const MAX_PERIOD = 30;
/** About 30 seconds of speech: the longer a text, the better it compresses even without a loop. */
const WINDOW_CHARACTERS = 800;

/** A phrase of `period` words, `count` times in a row, from word `start` on. */
type Loop = { start: number; period: number; count: number };

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

/**
 * Whisper's tags for sounds that are not speech: `[BLANK_AUDIO]`, `(music)`, `*applause*`, `♪`. Speech is never in
 * square brackets, but may be in round ones or between asterisks, which therefore count only around a known sound.
 */
const BRACKETED = /\[[^\]]{0,80}\]/gu;
const NOTES = /[♪♫♬♩🎵🎶]+/gu;
const ROUND = /[(（*]([^()（）*]{1,60})[)）*]/gu;

const SOUNDS =
  /\b(?:music|musik|musique|música|musica|singing|instrumental|applause|applaus|aplausos|applaudissements|clapping|cheering|laugh(?:s|ing|ter)?|lachen|rires|risas|silence|silent|pause|no audio|inaudible|unintelligible|indistinct|noise|static|beep(?:ing)?|click(?:ing)?|cough(?:s|ing)?|sigh(?:s|ing)?|sniff(?:s|ing)?|gasp(?:s|ing)?|breath(?:es|ing)?|footsteps|phone rings?|bell rings?|door (?:opens|closes|slams)|engine|wind|rain|thunder|speaking (?:in )?(?:a )?foreign language|foreign language|blank[_ ]audio|background noise|crowd)\b/iu;
const SOUNDS_UNSPACED = /音楽|拍手|笑い?声?|音乐|掌声|笑声|음악|박수|웃음/u;

const blank = (text: string): string => ' '.repeat(text.length);

/** Replaces every sound tag with as many spaces, so that positions in the text stay valid. */
const blankOutSoundTags = (text: string): string =>
  text
    .replace(BRACKETED, blank)
    .replace(NOTES, blank)
    .replace(ROUND, (tag, inside: string) =>
      SOUNDS.test(inside) || SOUNDS_UNSPACED.test(inside) ? blank(tag) : tag,
    );

/** What the model writes for music and applause, also without brackets. */
const SOUND_NAME =
  /^\P{L}*(?:music|musik|musique|música|musica|muziek|muzyka|музыка|音楽|音乐|音樂|음악|applause|applaus|aplausos|applaudissements|拍手|掌声|박수)(?:\P{L}+(?:music|musik|musique|música|musica|muziek|muzyka|музыка|音楽|音乐|音樂|음악))*\P{L}*$/iu;

/** Whether a text is nothing but the name of a sound. */
const isSoundName = (text: string): boolean => SOUND_NAME.test(text);

/** A stored segment before it is numbered: numbers follow the order in which chunks are saved. */
export type RecognizedSegment = Omit<StoredSegment, 'id'>;

const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
const HAS_WORD = /[\p{L}\p{N}]/u;
/** Punctuation that, standing alone, belongs to the word after it. */
const OPENING = /^[\p{Ps}\p{Pi}¿¡]+$/u;
/** Symbols that are read out, so they are words without a letter. */
const SPOKEN = /^[\p{Sc}+=%&@#°]+$/u;
const MIN_WORD_SECONDS = 0.05;

/** One UTF-16 unit of a segment's text, with its token and time. */
type Character = { text: string; token: number; probability: number; start: number; end: number };

/** A word's place in the text, `from` inclusive to `to` exclusive. */
type TextRange = { from: number; to: number; hasSpaceBefore: boolean };

/** whisper.cpp's estimate, else the segment's bounds. */
const timesOf = (token: WhisperToken, segment: WhisperSegment): { start: number; end: number } => {
  const start = token.start ?? segment.start;
  return { start, end: Math.max(start, token.end ?? segment.end) };
};

/** The characters of a segment's text; a token's time is divided evenly among its own, leading spaces excepted. */
const charactersOf = (segment: WhisperSegment): Character[] => {
  const tokens = segment.tokens.filter(({ special }) => !special);
  return tokens.flatMap((token, index) => {
    const { start, end } = timesOf(token, segment);
    const lead = token.text.length - token.text.trimStart().length;
    const step = (end - start) / Math.max(1, token.text.length - lead);
    return Array.from({ length: token.text.length }, (_, position): Character => {
      const place = Math.max(0, position - lead);
      return {
        text: token.text.charAt(position),
        token: index,
        probability: token.probability,
        start: start + place * step,
        end: start + (place + 1) * step,
      };
    });
  });
};

const splitAtSpaces = (text: string): TextRange[] =>
  [...text.matchAll(/\S+/gu)].map(({ 0: part, index }) => ({
    from: index,
    to: index + part.length,
    hasSpaceBefore: index > 0,
  }));

const segmenterFor = (language: string): Intl.Segmenter => {
  const [locale = 'en'] = Intl.Segmenter.supportedLocalesOf([language, 'en']);
  return new Intl.Segmenter(locale, { granularity: 'word' });
};

/** Splits text of a script without spaces into words, by the language's dictionary. */
const splitUnspaced = (text: string, range: TextRange, language: string): TextRange[] => {
  const part = text.slice(range.from, range.to);
  if (!UNSPACED.test(part)) return [range];
  return [...segmenterFor(language).segment(part)].map(({ segment, index }) => ({
    from: range.from + index,
    to: range.from + index + segment.length,
    hasSpaceBefore: index === 0 && range.hasSpaceBefore,
  }));
};

/** Attaches standalone punctuation to the word before it; opening punctuation to the word after it. */
const attachPunctuation = (text: string, ranges: TextRange[]): TextRange[] => {
  const words: TextRange[] = [];
  let opening: TextRange | undefined;
  for (const range of ranges) {
    const part = text.slice(range.from, range.to);
    const isWord = HAS_WORD.test(part) || SPOKEN.test(part);
    const last = words.at(-1);
    if (isWord) {
      words.push(opening ? { ...range, from: opening.from, hasSpaceBefore: opening.hasSpaceBefore } : range);
      opening = undefined;
    } else if (OPENING.test(part) || !last) {
      opening ??= range;
    } else if (opening) {
      opening = { ...opening, to: range.to };
    } else {
      last.to = range.to;
    }
  }
  const last = words.at(-1);
  if (opening && last) last.to = opening.to;
  return words;
};

/** The geometric mean of the tokens' probabilities, each token once. */
const confidenceOf = (characters: Character[]): number => {
  const byToken = new Map(characters.map(({ token, probability }) => [token, probability]));
  const logs = [...byToken.values()].map((probability) => Math.log(clamp(probability, 1e-6, 1)));
  return Math.exp(mean(logs));
};

/**
 * Makes word times ascend inside the segment without overlap, and extends very short words into the room before the
 * next one: whisper.cpp's token times drift, go backwards and may have no length.
 */
const orderTimes = (words: StoredWord[], start: number, end: number): StoredWord[] => {
  let earliest = start;
  const ordered = words.map((word) => {
    const from = clamp(word.start, earliest, end);
    const to = clamp(word.end, from, end);
    earliest = from;
    return { ...word, start: from, end: to };
  });
  return ordered.map((word, index) => {
    const next = ordered[index + 1]?.start ?? end;
    const extended = word.end - word.start < MIN_WORD_SECONDS ? next : word.end;
    return { ...word, start: roundMs(word.start), end: roundMs(Math.min(extended, next)) };
  });
};

/**
 * Converts the engine's segment into words with times, on the same timeline, without tags such as `[BLANK_AUDIO]`.
 * Returns undefined if no words remain. Aligned words set the segment's bounds. `text` is exactly the words joined, with the spaces that were written.
 * `language` is that of the text, for scripts whose word borders only a dictionary knows.
 */
export const toSegment = (segment: WhisperSegment, language: string): RecognizedSegment | undefined => {
  const characters = charactersOf(segment);
  const text = blankOutSoundTags(characters.map((character) => character.text).join(''));
  const ranges = attachPunctuation(
    text,
    splitAtSpaces(text).flatMap((range) => splitUnspaced(text, range, language)),
  );
  if (ranges.length === 0 || isSoundName(text)) return undefined;
  const words = ranges.map(({ from, to }): StoredWord => {
    const own = characters.slice(from, to);
    return {
      word: text.slice(from, to).replace(/\s+/gu, ' '),
      start: own[0]?.start ?? segment.start,
      end: own.at(-1)?.end ?? segment.end,
      confidence: confidenceOf(own),
      speaker_id: null,
    };
  });
  const [start, end] = segment.aligned
    ? [words[0]?.start ?? segment.start, words.at(-1)?.end ?? segment.end]
    : [segment.start, segment.end];
  return {
    text: words
      .map(({ word }, index) => (index > 0 && ranges[index]?.hasSpaceBefore ? ` ${word}` : word))
      .join(''),
    start: roundMs(start),
    end: roundMs(end),
    speaker_id: null,
    words: orderTimes(words, start, end),
  };
};

/** The segment with some of its words only, ending with the last of them; undefined if none is kept. */
export const keepWords = (
  segment: RecognizedSegment,
  isKept: (word: StoredWord) => boolean,
): RecognizedSegment | undefined => {
  let text = '';
  let cursor = 0;
  const words = segment.words.filter((word) => {
    // No word starts with a space, so the one here, if any, separates the word from the one before it.
    const space = segment.text[cursor] === ' ' ? ' ' : '';
    cursor += space.length + word.word.length;
    if (!isKept(word)) return false;
    text += text === '' ? word.word : space + word.word;
    return true;
  });
  const last = words.at(-1);
  if (last === undefined) return undefined;
  return words.length === segment.words.length ? segment : { ...segment, text, words, end: last.end };
};
