import { describe, expect, it } from 'vitest';
import { languageCodes, spokenLanguages } from '../../../electron/core/base/spoken-languages.ts';

describe('spokenLanguages', () => {
  it('shares the time of the segments whose language is known, the most spoken first', () => {
    const segments = [
      { start: 0, end: 2, language: 'en' },
      { start: 2, end: 7, language: 'de' },
      { start: 7, end: 60, language: null },
      { start: 60, end: 61, language: 'en' },
    ];
    expect(spokenLanguages(segments)).toEqual([
      { language: 'de', share: 0.625 },
      { language: 'en', share: 0.375 },
    ]);
  });

  it('knows no language of segments without one', () => {
    expect(spokenLanguages([])).toEqual([]);
    expect(spokenLanguages([{ start: 0, end: 1 }])).toEqual([]);
  });

  it('shares segments without a length evenly', () => {
    expect(spokenLanguages([{ start: 1, end: 1, language: 'fr' }])).toEqual([{ language: 'fr', share: 1 }]);
  });
});

describe('languageCodes', () => {
  it('falls back to the language of the whole recording', () => {
    expect(languageCodes({ language: 'en', languages: [] })).toEqual(['en']);
    expect(languageCodes({ language: null, languages: [] })).toEqual([]);
    const languages = [
      { language: 'de', share: 0.6 },
      { language: 'en', share: 0.4 },
    ];
    expect(languageCodes({ language: 'de', languages })).toEqual(['de', 'en']);
  });
});
