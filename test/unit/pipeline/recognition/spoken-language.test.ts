import { describe, expect, it } from 'vitest';
import {
  amongExpected,
  isSettled,
  languagesOf,
} from '../../../../electron/core/pipeline/recognition/spoken-language.ts';

const heard = (probabilities: Record<string, number>, seconds = 5) => ({ seconds, probabilities });
const GERMAN = heard({ de: 0.97, en: 0.02 });
const ENGLISH = heard({ en: 0.96, de: 0.01 });

describe('languagesOf', () => {
  it('changes between turns that are clear, and back', () => {
    expect(languagesOf([ENGLISH, GERMAN, ENGLISH], { previous: null })).toEqual(['en', 'de', 'en']);
    expect(languagesOf([ENGLISH, GERMAN, GERMAN], { previous: 'en' })).toEqual(['en', 'de', 'de']);
  });

  it('lets what is uncertain or short follow its neighbors, before or after it', () => {
    expect(languagesOf([GERMAN, heard({ en: 0.5, de: 0.3 }), GERMAN], { previous: null })).toEqual([
      'de',
      'de',
      'de',
    ]);
    expect(languagesOf([heard({ nn: 0.3, de: 0.2 }), GERMAN], { previous: null })).toEqual(['de', 'de']);
    expect(languagesOf([heard({ en: 0.9, de: 0.05 }, 0.4)], { previous: 'de' })).toEqual(['de']);
    expect(languagesOf([heard({ en: 0.5, de: 0.4 })], { previous: 'de' })).toEqual(['de']);
    const doubtful = heard({ en: 0.65, de: 0.05 }, 2);
    expect(languagesOf([doubtful], { previous: 'de' })).toEqual(['en']);
    expect(languagesOf([doubtful], { previous: 'de', next: 'de' })).toEqual(['de']);
    expect(languagesOf([ENGLISH], { previous: 'de', next: 'de' })).toEqual(['en']);
  });

  it('hears no new language in each of several counted numbers', () => {
    const counting = [
      heard({ sv: 0.57, nn: 0.11, pl: 0.11 }, 1.49),
      heard({ ko: 0.28, zh: 0.21, en: 0.14 }, 1.23),
      heard({ hu: 0.25, ar: 0.22, sv: 0.17 }, 1.36),
      heard({ zh: 0.4, ko: 0.24, en: 0.18 }, 1.39),
      heard({ ja: 0.48, ko: 0.16, fi: 0.1 }, 0.74),
    ];
    expect(languagesOf(counting, { previous: null })).toEqual(['sv', 'sv', 'sv', 'sv', 'sv']);
  });

  it('has none for no speech', () => {
    expect(languagesOf([], { previous: 'de' })).toEqual([]);
  });
});

describe('isSettled', () => {
  it('is a language without doubt, in speech that is long enough', () => {
    const sure = heard({ de: 0.99, en: 0.01 });
    expect(isSettled('de', sure, 'en')).toBe(true);
    expect(isSettled('en', sure, 'en')).toBe(false);
    expect(isSettled('de', GERMAN, 'de')).toBe(false);
    const short = { ...sure, seconds: 1 };
    expect([null, 'de', 'en'].map((before) => isSettled('de', short, before))).toEqual([true, true, false]);
  });
});

it('leaves out languages that are not expected', () => {
  expect(amongExpected({ de: 0.6, nl: 0.3, en: 0.1 }, ['nl', 'en'])).toEqual({
    nl: expect.closeTo(0.75),
    en: expect.closeTo(0.25),
  });
  expect(amongExpected({ de: 1 }, ['nl', 'en'])).toEqual({ nl: 0.5, en: 0.5 });
  expect(amongExpected({ de: 1 }, undefined)).toEqual({ de: 1 });
});
