import type { CustomSpelling } from '../../../contract/recognition.ts';
import { mean, roundMs } from '../../base/numbers.ts';
import { joinTexts, UNSPACED_SCRIPTS } from '../../base/text.ts';
import type { StoredWord } from '../../stores/segments.ts';
import type { RecognizedSegment } from './words.ts';

type Rule = { readonly from: readonly string[]; readonly to: string };

const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
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
export const respelled = (spoken: readonly StoredWord[], to: string): StoredWord[] => {
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

/**
 * Writes words and phrases as the request spells them, in any case and with the punctuation around them kept. Longer
 * phrases go first, and what was replaced is not replaced again. A phrase that two segments share is left alone.
 */
export const applySpelling = (
  segments: readonly RecognizedSegment[],
  spellings: readonly CustomSpelling[] | undefined,
): readonly RecognizedSegment[] => {
  if (spellings === undefined) return segments;
  const rules = rulesOf(spellings);
  return segments.map((segment) => {
    const keys = segment.words.map(({ word }) => keyOf(word));
    const words: StoredWord[] = [];
    let isChanged = false;
    for (let at = 0; at < segment.words.length; ) {
      const rule = rules.find((candidate) => matchAt(keys, at, candidate) > 0);
      const count = rule === undefined ? 0 : matchAt(keys, at, rule);
      const spoken = segment.words.slice(at, at + Math.max(1, count));
      words.push(...(rule === undefined ? spoken : respelled(spoken, rule.to)));
      isChanged ||= rule !== undefined;
      at += spoken.length;
    }
    return isChanged ? { ...segment, words, text: joinTexts(words.map(({ word }) => word)) } : segment;
  });
};
