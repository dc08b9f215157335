import { describe, expect, it } from 'vitest';
import {
  formatVocabulary,
  parseVocabulary,
  toTerms,
  Vocabulary,
} from '../../../electron/contract/vocabulary.ts';

describe('the text of a vocabulary', () => {
  const TEXT = 'Nguyen\nkubectl ^2.5 = cube control; cube cuddle\nSAP = S A P\nC++ ^0\n';

  it('is read and written alike', () => {
    const entries = parseVocabulary(TEXT);
    expect(entries).toEqual([
      'Nguyen',
      { term: 'kubectl', weight: 2.5, sounds_like: ['cube control', 'cube cuddle'] },
      { term: 'SAP', sounds_like: ['S A P'] },
      { term: 'C++', weight: 0 },
    ]);
    expect(Vocabulary.parse(entries)).toEqual(entries);
    expect(formatVocabulary(entries)).toBe(TEXT);
  });

  it('may have comments, empty lines and other line ends', () => {
    expect(parseVocabulary('# names\r\n\r\n  Ana \r\n')).toEqual(['Ana']);
    expect(parseVocabulary('')).toEqual([]);
  });

  it('is made of what can be a term', () => {
    expect(toTerms([' Ana ', 'Ana', '', '--', 'x'.repeat(201), 'a\nb', 'C++'])).toEqual(['Ana', 'C++']);
  });
});
