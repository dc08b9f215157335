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

/** Replaces the phrases of `spellings`: longer ones first, and what was replaced not again. A phrase that two segments share stays. */
const respell = (
  segments: readonly RecognizedSegment[],
  spellings: readonly CustomSpelling[],
  mayChange: (spoken: readonly StoredWord[]) => boolean,
): Respelled => {
  if (spellings.length === 0) return { segments, kept: [] };
  const rules = rulesOf(spellings);
  const kept = new Map<number, Span>();
  const changed = segments.map((segment) => {
    const keys = segment.words.map(({ word }) => keyOf(word));
    const words: StoredWord[] = [];
    let isChanged = false;
    for (let at = 0; at < segment.words.length; ) {
      const spokenAs = (rule: Rule) => segment.words.slice(at, at + matchAt(keys, at, rule));
      const rule = rules.find((candidate) => {
        const spoken = spokenAs(candidate);
        const [first, last] = [spoken[0], spoken.at(-1)];
        if (first === undefined || last === undefined) return false;
        const isChangeable = mayChange(spoken);
        if (!isChangeable && spoken.map(({ word }) => word).join(' ') !== candidate.to)
          kept.set(first.start, { start: first.start, end: last.end });
        return isChangeable;
      });
      const spoken = rule === undefined ? segment.words.slice(at, at + 1) : spokenAs(rule);
      words.push(...(rule === undefined ? spoken : respelled(spoken, rule.to)));
      isChanged ||= rule !== undefined;
      at += spoken.length;
    }
    return isChanged ? { ...segment, words, text: joinTexts(words.map(({ word }) => word)) } : segment;
  });
  return { segments: changed, kept: [...kept.values()] };
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
