import { describe, expect, it } from 'vitest';
import type { VocabularyEntry } from '../../../../electron/contract/vocabulary.ts';
import {
  phoneticDistance,
  soundsOf,
} from '../../../../electron/core/pipeline/recognition/phonetic-distance.ts';
import { applyVocabulary } from '../../../../electron/core/pipeline/recognition/vocabulary.ts';

/** A segment of words a second each; those in `unsure` have that confidence. */
const segmentOf = (text: string, unsure: readonly string[], confidence = 0.5) => ({
  text,
  start: 0,
  end: text.split(' ').length,
  speaker_id: null,
  words: text.split(' ').map((word, index) => ({
    word,
    start: index,
    end: index + 1,
    confidence: unsure.includes(word) ? confidence : 0.97,
    speaker_id: null,
  })),
});

const write = (text: string, unsure: string[], vocabulary: VocabularyEntry[], confidence?: number) =>
  applyVocabulary([segmentOf(text, unsure, confidence)], vocabulary)[0];

describe('the spelling of a vocabulary', () => {
  it.each<[string, string[], VocabularyEntry[], string]>([
    ['The north is report.', ['north', 'is'], ['Novartis'], 'The Novartis report.'],
    ['Ask Cowalsky, please.', ['Cowalsky,'], ['Kowalski'], 'Ask Kowalski, please.'],
    ['Linda Hill should check it.', ['Hill'], ['Lindholm'], 'Lindholm should check it.'],
    [
      'Run cube cuddle now.',
      ['cube'],
      [{ term: 'kubectl', sounds_like: ['cube cuddle'] }],
      'Run kubectl now.',
    ],
    ['Meet Stefany Meier today.', ['Stefany'], ['Stephanie Mayer'], 'Meet Stephanie Mayer today.'],
  ])('writes %j, unsure of %j, with %j as %j', (text, unsure, vocabulary, expected) => {
    const segment = write(text, unsure, vocabulary);
    expect(segment?.text).toBe(expected);
    expect(segment?.words.map(({ word }) => word).join(' ')).toBe(expected);
  });

  it('leaves what the engine was sure of, what only looks alike, and what is a term already', () => {
    expect(write('Ask Cowalsky please.', [], ['Kowalski'])?.text).toBe('Ask Cowalsky please.');
    expect(write('The weather was warm.', ['weather'], ['Kowalski', 'Ben'])?.text).toBe(
      'The weather was warm.',
    );
    expect(write('It will for on Monday.', ['for'], ['Moreno'])?.text).toBe('It will for on Monday.');
    expect(write('Laura Baker lives here.', ['Baker'], ['Docker'])?.text).toBe('Laura Baker lives here.');
    expect(write('Ask Ana now.', ['Ana'], ['Anna', 'Ana'])?.text).toBe('Ask Ana now.');
    expect(write('On Friday, please.', ['Friday,', 'please.'], ['Fredeplis'])?.text).toBe(
      'On Friday, please.',
    );
    const mishearing: VocabularyEntry = { term: 'Nguyen', sounds_like: ['win'] };
    expect(write('They win today.', ['win'], [mishearing], 0.96)?.text).toBe('They win today.');
    expect(write('They win today.', ['win'], [mishearing], 0.9)?.text).toBe('They Nguyen today.');
  });

  it('keeps the time of what was heard, and takes the closest of several terms', () => {
    const words = write('The north is report.', ['north'], ['Norris', 'Novartis', 'North Iz'])?.words;
    expect(words?.slice(1, 3).map(({ word, start, end }) => [word, start, end])).toEqual([
      ['North', 1, 2],
      ['Iz', 2, 3],
    ]);
  });

  it('hears how words sound', () => {
    expect(soundsOf('knight')).toBe(soundsOf('nite'));
    expect(phoneticDistance(soundsOf('Stephan'), soundsOf('Stefan'))).toBe(0);
    expect(phoneticDistance(soundsOf('Meyer'), soundsOf('Maier'))).toBeLessThan(0.15);
    expect(phoneticDistance(soundsOf('Monday'), soundsOf('Kubernetes'))).toBeGreaterThan(0.5);
    expect(phoneticDistance('', '')).toBe(0);
  });
});
