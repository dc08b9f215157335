import type { VocabularyEntry } from '../../../contract/vocabulary.ts';
import { termOf } from '../../../contract/vocabulary-text.ts';
import { joinTexts } from '../../base/text.ts';
import type { StoredWord } from '../../stores/segments.ts';
import { keyOf, respelled } from './custom-spelling.ts';
import { phoneticDistance, soundsOf } from './phonetic-distance.ts';
import type { RecognizedSegment } from './words.ts';

/** A term is heard as at most this many words. */
const MAX_WORDS = 4;
/** A passage is corrected only if the engine is less sure of one of its words. */
const UNSURE = 0.8;
/** The same where it is exactly what a term is said to be misheard as. */
const UNSURE_OF_FORM = 0.95;
/** The largest distance at which a passage is taken for a term. */
const MAX_DISTANCE = 0.24;
/** Sounds below which two words are alike by chance. */
const MIN_SOUNDS = 4;

type Form = {
  readonly term: string;
  readonly key: string;
  readonly sounds: string;
  readonly isGiven: boolean;
};
type Passage = {
  readonly at: number;
  readonly count: number;
  readonly form: Form;
  readonly distance: number;
};

const phraseOf = (text: string): string => text.split(/\s+/).map(keyOf).join(' ');

const formsOf = (vocabulary: readonly VocabularyEntry[]): Form[] =>
  vocabulary.map(termOf).flatMap(({ term, sounds_like: forms = [] }) => {
    const form = (text: string, isGiven: boolean): Form => {
      const key = phraseOf(text);
      return { term, key, sounds: soundsOf(key), isGiven };
    };
    return [form(term, false), ...forms.map((text) => form(text, true))];
  });

const isOneClause = (words: readonly StoredWord[]): boolean =>
  words.slice(0, -1).every(({ word }) => !/[.,;:!?]$/u.test(word));

const distanceTo = (form: Form, sounds: string): number =>
  Math.min(form.sounds.length, sounds.length) < MIN_SOUNDS ? 1 : phoneticDistance(sounds, form.sounds);

/** The term that a passage was meant to be; undefined if it is none, or one already. */
const bestForm = (
  words: readonly StoredWord[],
  forms: readonly Form[],
): Pick<Passage, 'form' | 'distance'> | undefined => {
  const confidence = Math.min(...words.map((word) => word.confidence));
  if (confidence >= UNSURE_OF_FORM || !isOneClause(words)) return undefined;
  const key = words.map(({ word }) => keyOf(word)).join(' ');
  const given = forms.find((form) => form.isGiven && form.key === key);
  if (given !== undefined) return { form: given, distance: 0 };
  if (confidence >= UNSURE) return undefined;
  const sounds = soundsOf(key);
  const ranked = forms
    .map((form) => ({ form, distance: distanceTo(form, sounds) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0];
};

/** Passages that do not overlap, those closest to their term first; in the order of the text. */
const choose = (passages: readonly Passage[]): Passage[] => {
  const chosen: Passage[] = [];
  for (const passage of passages.toSorted((a, b) => a.distance - b.distance)) {
    const end = passage.at + passage.count;
    if (chosen.every(({ at, count }) => end <= at || passage.at >= at + count)) chosen.push(passage);
  }
  return chosen.toSorted((a, b) => a.at - b.at);
};

const correct = (segment: RecognizedSegment, forms: readonly Form[]): RecognizedSegment => {
  const terms = new Set(forms.filter(({ isGiven }) => !isGiven).map(({ key }) => key));
  const isTerm = segment.words.map(({ word }) => terms.has(keyOf(word)));
  const passages = segment.words.flatMap((_, at) =>
    Array.from({ length: Math.min(MAX_WORDS, segment.words.length - at) }, (_, index) => index + 1).flatMap(
      (count) => {
        const words = segment.words.slice(at, at + count);
        const found = isTerm.slice(at, at + count).includes(true) ? undefined : bestForm(words, forms);
        return found === undefined ? [] : [{ at, count, ...found }];
      },
    ),
  );
  const chosen = choose(passages);
  if (chosen.length === 0) return segment;
  const words: StoredWord[] = [];
  let next = 0;
  for (const { at, count, form } of chosen) {
    words.push(
      ...segment.words.slice(next, at),
      ...respelled(segment.words.slice(at, at + count), form.term),
    );
    next = at + count;
  }
  words.push(...segment.words.slice(next));
  return { ...segment, words, text: joinTexts(words.map(({ word }) => word)) };
};

/**
 * Writes the terms of a vocabulary where the engine was unsure and wrote what sounds like one of them: a near homophone, or
 * exactly what the request names as a mishearing. Everything that it was sure of stays.
 */
export const applyVocabulary = (
  segments: readonly RecognizedSegment[],
  vocabulary: readonly VocabularyEntry[] | undefined,
): readonly RecognizedSegment[] => {
  if (vocabulary === undefined || vocabulary.length === 0) return segments;
  const forms = formsOf(vocabulary);
  return segments.map((segment) => correct(segment, forms));
};
