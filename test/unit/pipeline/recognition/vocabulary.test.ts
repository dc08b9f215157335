import { describe, expect, it } from 'vitest';
import type { VocabularyEntry } from '../../../../electron/contract/vocabulary.ts';
import { applyVocabulary } from '../../../../electron/core/pipeline/recognition/custom-spelling.ts';
import {
  phoneticDistance,
  soundsOf,
} from '../../../../electron/core/pipeline/recognition/settle-channels.ts';

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
  applyVocabulary([segmentOf(text, unsure, confidence)], vocabulary).segments[0];

describe('the mishearings of a vocabulary', () => {
  const kubectl: VocabularyEntry = { term: 'kubectl', sounds_like: ['cube cuddle'] };

  it('are written as their term, in its time', () => {
    const segment = write('Run “Cube cuddle” now.', ['“Cube'], [kubectl]);
    expect(segment?.text).toBe('Run “kubectl” now.');
    expect(segment?.words.map(({ word, start, end }) => [word, start, end])).toEqual([
      ['Run', 0, 1],
      ['“kubectl”', 1, 3],
      ['now.', 3, 4],
    ]);
  });

  it('are written also where two segments share them, unless a sentence ends there', () => {
    const [first, second] = [segmentOf('Run cube', ['cube']), segmentOf('cuddle now.', [])];
    const later = {
      ...second,
      start: 2,
      end: 4,
      words: second.words.map((word) => ({ ...word, start: word.start + 2, end: word.end + 2 })),
    };
    const { segments } = applyVocabulary([first, later], [kubectl]);
    expect(segments.map(({ text, start, end }) => [text, start, end])).toEqual([
      ['Run kubectl', 0, 3],
      ['now.', 3, 4],
    ]);
    const alone = { ...later, words: later.words.slice(0, 1), text: 'cuddle', end: 3 };
    expect(applyVocabulary([first, alone], [kubectl]).segments.map(({ text }) => text)).toEqual([
      'Run kubectl',
    ]);
    const ended = segmentOf('Take the cube.', ['cube.']);
    expect(applyVocabulary([ended, later], [kubectl]).segments).toEqual([ended, later]);
  });

  it('stay where the engine was sure of them', () => {
    const mishearing: VocabularyEntry = { term: 'Nguyen', sounds_like: ['win'] };
    expect(write('They win today.', ['win'], [mishearing], 0.96)?.text).toBe('They win today.');
    expect(write('They win today.', ['win'], [mishearing], 0.9)?.text).toBe('They Nguyen today.');
  });

  it('are named where they stay', () => {
    const keptIn = (text: string, terms: VocabularyEntry[]) =>
      applyVocabulary([segmentOf(text, [])], terms).kept;
    expect(keptIn('They win today.', [{ term: 'Nguyen', sounds_like: ['win'] }])).toEqual([
      { start: 1, end: 2 },
    ]);
    expect(keptIn('Run cube cuddle now.', [kubectl])).toEqual([{ start: 1, end: 3 }]);
    expect(keptIn('Ask Nguyen today.', [{ term: 'Nguyen', sounds_like: ['nguyen', 'win'] }])).toEqual([]);
  });

  it('are those that were named: what only sounds like a term stays', () => {
    expect(write('What a better day.', ['What', 'better'], ['Whyte', 'Butler'])?.text).toBe(
      'What a better day.',
    );
  });
});

describe('phonetic distance', () => {
  it('tells how alike two words sound', () => {
    expect(soundsOf('knight')).toBe(soundsOf('nite'));
    expect(phoneticDistance(soundsOf('Stephan'), soundsOf('Stefan'))).toBe(0);
    expect(phoneticDistance(soundsOf('Meyer'), soundsOf('Maier'))).toBeLessThan(0.15);
    expect(phoneticDistance(soundsOf('Monday'), soundsOf('Kubernetes'))).toBeGreaterThan(0.5);
    expect(phoneticDistance('', '')).toBe(0);
  });
});
