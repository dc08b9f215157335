import { describe, expect, it } from 'vitest';
import { alignWords } from '../../../../electron/core/pipeline/recognition/align-words.ts';
import { compareReadings } from '../../../../electron/core/pipeline/recognition/verify.ts';
import type { StoredWord } from '../../../../electron/core/stores/segments.ts';

/** A word each half second, with a confidence after a slash: "good/0.4 day". */
const reading = (text: string, start = 0): StoredWord[] =>
  text
    .split(' ')
    .filter((part) => part !== '')
    .map((part, index) => {
      const [word = '', confidence = '0.8'] = part.split('/');
      const at = start + index * 0.5;
      return { word, start: at, end: at + 0.4, confidence: Number(confidence), speaker_id: null };
    });

/** Each word, with the other reading behind it if there is one. */
const compare = (first: string, second: string): string[] =>
  compareReadings(reading(first), reading(second), 'other').words.map(({ word, alternatives }) =>
    alternatives === undefined ? word : `${word}|${alternatives.map(({ text }) => text).join('|')}`,
  );

describe('comparing two readings', () => {
  it('marks the words that differ, whatever their case and signs', () => {
    expect(compare('Send it to me, today.', 'send it to Lee today')).toEqual([
      'Send',
      'it',
      'to',
      'me,|Lee,',
      'today.',
    ]);
  });

  it('offers nothing for a word that only the first model heard', () => {
    expect(compare('we do not know', 'we do know')).toEqual(['we', 'do', 'not|', 'know']);
  });

  it('adds words that only the second model heard to their neighbor', () => {
    expect(compare('we do know.', 'we do not know')).toEqual(['we', 'do|do not', 'know.']);
    expect(compare('call me', 'please call me')).toEqual(['call|please call', 'me']);
  });

  it('takes words for the same that are only divided differently', () => {
    expect(compare('I can not set up e-mail', 'I cannot setup email')).toEqual([
      'I',
      'can',
      'not',
      'set',
      'up',
      'e-mail',
    ]);
    expect(compare('I like ice cream', 'I like I scream')).toEqual(['I', 'like', 'ice|I', 'cream|scream']);
  });

  it('raises the confidence of words on which both agree, and of no other', () => {
    const { words } = compareReadings(reading('good/0.5 day/0.9'), reading('good/0.8 night/0.3'), 'other');
    expect(words.map(({ confidence }) => confidence)).toEqual([0.9, 0.9]);
    expect(words[1]?.alternatives).toEqual([{ text: 'night', model: 'other', confidence: 0.3 }]);
  });

  it('keeps words apart that are far from each other in time', () => {
    const late = reading('yes', 10);
    expect(alignWords(reading('yes'), late, () => true)).toEqual([
      [0, null],
      [null, 0],
    ]);
    expect(compareReadings([], late, 'other')).toEqual({ words: [], unattached: late });
  });

  it('aligns the same word to the nearer one', () => {
    const first = reading('no no no');
    const second = reading('no', 1);
    expect(alignWords(first, second, () => true)).toEqual([
      [0, null],
      [1, null],
      [2, 0],
    ]);
  });
});
