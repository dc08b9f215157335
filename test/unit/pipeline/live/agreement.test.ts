import { describe, expect, it } from 'vitest';
import {
  Agreement,
  committedPart,
  type LiveWord,
} from '../../../../electron/core/pipeline/live/agreement.ts';

const words = (text: string, from = 0): LiveWord[] =>
  text.split(' ').map((word, index) => ({
    ...{ word, start: from + index * 0.5, end: from + index * 0.5 + 0.4, confidence: 0.9, speaker_id: null },
  }));
const textOf = (list: readonly LiveWord[]): string => list.map(({ word }) => word).join(' ');

describe('Agreement', () => {
  it('commits what two decodings in a row agree on, and keeps the rest open', () => {
    const agreement = new Agreement();
    expect(agreement.insert(words('the cat sad'))).toEqual([]);
    expect(textOf(agreement.insert(words('The cat sat on')))).toBe('The cat');
    expect(textOf(agreement.tentative)).toBe('sat on');
    expect(textOf(agreement.insert(words('the hat sat on a mat')))).toBe('sat on');
    expect(textOf(agreement.close(words('the cat sat on the mat.')))).toBe('the mat.');
    expect(agreement.tentative).toEqual([]);
  });

  it('commits the last word of a decoding only in the same form, for its end looks like that of a sentence', () => {
    const agreement = new Agreement();
    agreement.insert(words('we go.'));
    expect(textOf(agreement.insert(words('we go')))).toBe('we');
    expect(textOf(agreement.insert(words('we go home')))).toBe('go');
  });

  it('never goes back in time', () => {
    const agreement = new Agreement();
    agreement.insert(words('one two'));
    agreement.insert(words('one two three'));
    const [next] = agreement.close([...words('one two'), ...words('three', 0.2)]);
    expect(next).toMatchObject({ word: 'three', start: 0.9, end: 0.9 });
  });
});

describe('committedPart', () => {
  it('finds where a decoding goes on that differs in what is committed', () => {
    expect(committedPart([], words('a b'))).toBe(0);
    expect(committedPart(words('a b c'), words('a b c d e'))).toBe(3);
    expect(committedPart(words('a b c'), words('a x c d e'))).toBe(3);
    expect(committedPart(words('a b c'), words('a b c c'))).toBe(3);
    expect(committedPart(words('a b c'), words('a b'))).toBe(2);
  });

  it('takes a repeated word for what was said again, by its time', () => {
    expect(committedPart(words('no'), words('no no no'))).toBe(1);
  });
});
