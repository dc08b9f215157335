import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  compressionRatio,
  findLoops,
  isRepetitive,
} from '../../../../electron/core/pipeline/recognition/words.ts';
import { AUDIO_FIXTURES } from '../../../support/paths.ts';

const split = (text: string): string[] => text.split(' ');

describe('repetition loops', () => {
  it('compress far better than speech', () => {
    expect(compressionRatio('')).toBe(0);
    expect(compressionRatio('The quick brown fox jumps over the lazy dog.')).toBeLessThan(1.2);
    expect(compressionRatio('Thank you for watching. '.repeat(20))).toBeGreaterThan(2.4);
  });

  it('are found by their phrase, regardless of case and punctuation', () => {
    expect(findLoops(split('so the end. The end the END, the end the end and on'))).toEqual([
      { start: 1, period: 2, count: 5 },
    ]);
    expect(findLoops(split('a no no no no no no no b'))).toEqual([{ start: 1, period: 1, count: 7 }]);
    const sentence = 'we will talk about the budget today';
    expect(findLoops(split(`first ${`${sentence} `.repeat(3)}last`))).toEqual([
      { start: 1, period: 7, count: 3 },
    ]);
  });

  it('are not found in ordinary speech', () => {
    expect(findLoops(split('no no no I said no and no again'))).toEqual([]);
    expect(findLoops(split('we will talk we will talk about it and we will talk again'))).toEqual([]);
    expect(findLoops([])).toEqual([]);
    for (const name of readdirSync(AUDIO_FIXTURES).filter((file) => file.endsWith('.json'))) {
      const truth: { text?: string } = JSON.parse(readFileSync(join(AUDIO_FIXTURES, name), 'utf8'));
      if (truth.text) expect(isRepetitive(truth.text, split(truth.text)), name).toBe(false);
    }
  });

  it('make a text repetitive, also in scripts without spaces', () => {
    expect(isRepetitive('ありがとう'.repeat(30), ['ありがとう'.repeat(30)])).toBe(true);
    expect(isRepetitive('I am going to go to the store. '.repeat(8), split('I am'))).toBe(true);
    expect(isRepetitive('', [])).toBe(false);
  });
});
