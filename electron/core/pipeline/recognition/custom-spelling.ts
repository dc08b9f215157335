import type { CustomSpelling } from '../../../contract/recognition.ts';
import { termOf, type VocabularyEntry } from '../../../contract/vocabulary.ts';
import { mean, roundMs } from '../../base/numbers.ts';
import { joinTexts, UNSPACED_SCRIPTS } from '../../base/text.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import type { StoredWord } from '../../stores/segments.ts';
import type { RecognizedSegment } from './words.ts';

type Rule = { readonly from: readonly string[]; readonly to: string };

const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
/** A mishearing of which every word is at least this probable is what was said. */
const SURE = 0.95;
/** What stands around a word: punctuation before and after it. */
const AROUND = /^([^\p{L}\p{N}\p{Sc}#@&+]*)(.*?)([^\p{L}\p{N}\p{Sc}#@&+]*)$/su;

/** A word as it is compared: without the punctuation around it, in lower case. */
export const keyOf = (word: string): string => (AROUND.exec(word)?.[2] ?? word).toLowerCase();

const rulesOf = (spellings: readonly CustomSpelling[]): Rule[] =>
  spellings
    .flatMap(({ from, to }) => from.map((phrase) => ({ from: phrase.split(/\s+/).map(keyOf), to })))
    .toSorted((a, b) => b.from.length - a.from.length);

/** The number of words from `at` on that are the phrase; 0 if they are not. Scripts without spaces match across words. */
const matchAt = (keys: readonly string[], at: number, { from }: Rule): number => {
  if (from.every((part, index) => keys[at + index] === part)) return from.length;
  const phrase = from.join('');
  if (!UNSPACED.test(phrase)) return 0;
  let text = '';
  for (let end = at; end < keys.length && text.length < phrase.length; end++) {
    text += keys[end];
    if (text === phrase) return end - at + 1;
  }
  return 0;
};

/** The words of `to` in the place of those spoken, whose time they share evenly; punctuation around them stays. */
const respelled = (spoken: readonly StoredWord[], to: string): StoredWord[] => {
  const [first, last] = [spoken[0], spoken.at(-1)];
  if (first === undefined || last === undefined) return [];
  const before = AROUND.exec(first.word)?.[1] ?? '';
  const after = AROUND.exec(last.word)?.[3] ?? '';
  const parts = `${before}${to}${after}`.split(/\s+/);
  const step = (last.end - first.start) / parts.length;
  return parts.map((word, index) => ({
    ...first,
    word,
    start: roundMs(first.start + index * step),
    end: roundMs(first.start + (index + 1) * step),
    confidence: mean(spoken.map(({ confidence }) => confidence)),
  }));
};

type Respelled = {
  readonly segments: readonly RecognizedSegment[];
  /** What `mayChange` kept as it was, in order. */
  readonly kept: readonly Span[];
};

/** A word and the index of its segment. */
type Placed = { readonly word: StoredWord; readonly segment: number };

/** False where two segments share the words and punctuation parts them. */
const isOnePhrase = (spoken: readonly Placed[]): boolean =>
  spoken.every(({ word, segment }, index) => {
    const next = spoken[index + 1];
    if (next === undefined || next.segment === segment) return true;
    return AROUND.exec(word.word)?.[3] === '' && AROUND.exec(next.word.word)?.[1] === '';
  });

/** The segment with other words; undefined where it has none left. Its times follow words that it lost or got at an end. */
const withWords = (
  segment: RecognizedSegment,
  words: readonly StoredWord[],
): RecognizedSegment | undefined => {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    ...segment,
    start: first.start === segment.words[0]?.start ? segment.start : first.start,
    end: Math.max(segment.end, last.end),
    words: [...words],
    text: joinTexts(words.map(({ word }) => word)),
  };
};

/**
 * Replaces the phrases of `spellings`: longer ones first, and what was replaced not again. A phrase that two segments share is
 * written in the first one.
 */
const respell = (
  segments: readonly RecognizedSegment[],
  spellings: readonly CustomSpelling[],
  mayChange: (spoken: readonly StoredWord[]) => boolean,
): Respelled => {
  if (spellings.length === 0) return { segments, kept: [] };
  const rules = rulesOf(spellings);
  const kept = new Map<number, Span>();
  const placed = segments.flatMap(({ words }, segment) => words.map((word): Placed => ({ word, segment })));
  const keys = placed.map(({ word }) => keyOf(word.word));
  const written: StoredWord[][] = segments.map(() => []);
  const changed = new Set<number>();
  for (let at = 0; at < placed.length; ) {
    const spokenAs = (rule: Rule): readonly Placed[] => {
      const spoken = placed.slice(at, at + matchAt(keys, at, rule));
      return isOnePhrase(spoken) ? spoken : [];
    };
    const rule = rules.find((candidate) => {
      const spoken = spokenAs(candidate).map(({ word }) => word);
      const [first, last] = [spoken[0], spoken.at(-1)];
      if (first === undefined || last === undefined) return false;
      const isChangeable = mayChange(spoken);
      if (!isChangeable && spoken.map(({ word }) => word).join(' ') !== candidate.to)
        kept.set(first.start, { start: first.start, end: last.end });
      return isChangeable;
    });
    const spoken = rule === undefined ? placed.slice(at, at + 1) : spokenAs(rule);
    const words = spoken.map(({ word }) => word);
    written[spoken[0]?.segment ?? 0]?.push(...(rule === undefined ? words : respelled(words, rule.to)));
    if (rule !== undefined) for (const { segment } of spoken) changed.add(segment);
    at += spoken.length;
  }
  const respelt = segments.flatMap((segment, index) =>
    changed.has(index) ? (withWords(segment, written[index] ?? []) ?? []) : segment,
  );
  return { segments: respelt, kept: [...kept.values()] };
};

/** Writes words and phrases as the request spells them, in any case and with the punctuation around them kept. */
export const applySpelling = (
  segments: readonly RecognizedSegment[],
  spellings: readonly CustomSpelling[] = [],
): readonly RecognizedSegment[] => respell(segments, spellings, () => true).segments;

/**
 * Writes a vocabulary's terms where the engine wrote what the request names as a mishearing, unless it was sure of every word:
 * `kept` has these places.
 */
export const applyVocabulary = (
  segments: readonly RecognizedSegment[],
  vocabulary: readonly VocabularyEntry[] = [],
): Respelled => {
  const spellings = vocabulary
    .map(termOf)
    .flatMap(({ term, sounds_like: from }) => (from === undefined ? [] : [{ from, to: term }]));
  return respell(segments, spellings, (spoken) => spoken.some(({ confidence }) => confidence < SURE));
};
