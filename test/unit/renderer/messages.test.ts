import { describe, expect, it } from 'vitest';
import {
  formatMessage,
  LOCALES,
  loadTranslation,
  type MessageKey,
  placeholders,
  preferredLocale,
  typesetFrench,
  withFallback,
  withRegion,
} from '../../../renderer/i18n/index.ts';
import english from '../../../renderer/i18n/messages/en.json' with { type: 'json' };
import { nameKeys } from '../../../renderer/lib/keys.ts';

/** Texts of several words that a translation may leave as they are. */
const SAME_IN_EVERY_LANGUAGE = new Set(['≈ {time}']);

/** English messages that wait for their translation. Empty in a release. */
const UNTRANSLATED = new Set<MessageKey>();

describe('messages', () => {
  it.each(LOCALES)('%s: has every key with the same placeholders', async (locale) => {
    const translated: Readonly<Record<string, string>> = await loadTranslation(locale);
    const waiting: ReadonlySet<string> = locale === 'en' ? new Set() : UNTRANSLATED;
    const expected = Object.entries(english).filter(([key]) => key in translated || !waiting.has(key));
    expect(Object.keys(translated)).toEqual(expected.map(([key]) => key));
    for (const [key, text] of expected)
      expect(placeholders(translated[key] ?? ''), key).toEqual(placeholders(text));
  });

  it('fall back to English if a translation lacks them', () => {
    expect(withFallback({ 'nav.queue': 'Warteschlange' })).toEqual({
      ...english,
      'nav.queue': 'Warteschlange',
    });
  });

  it.each(LOCALES.filter((locale) => locale !== 'en'))('%s: leaves no English sentence', async (locale) => {
    const translated: Readonly<Record<string, string>> = await loadTranslation(locale);
    const same = Object.entries(english).filter(
      ([key, text]) => text.includes(' ') && translated[key] === text && !SAME_IN_EVERY_LANGUAGE.has(text),
    );
    expect(same).toEqual([]);
  });

  it('fill in values and select the plural form of the language', () => {
    const words = '{count, plural, one {# word} other {# words}} in {place}';
    expect(formatMessage(words, { count: 1, place: 'all' }, 'en')).toBe('1 word in all');
    expect(formatMessage(words, { count: 11_204, place: 'all' }, 'en')).toBe('11,204 words in all');
    expect(formatMessage(words, { count: 0, place: 'x' }, 'fr')).toBe('0 word in x');
    expect(formatMessage('{name}', { name: '{count}' }, 'en')).toBe('{count}');
    expect(formatMessage('{size} of <{name}>', { size: 1_200 }, 'de')).toBe('1.200 of <{name}>');
  });

  it('place a value within a plural form, and know its exact numbers', () => {
    const words = '{count, plural, =0 {Nothing by {who}} one {# word by {who}} other {# words by {who}}}';
    const said = [0, 1, 1_204].map((count) => formatMessage(words, { count, who: 'O’Neil' }, 'en'));
    expect(said).toEqual(['Nothing by O’Neil', '1 word by O’Neil', '1,204 words by O’Neil']);
    expect(placeholders(words)).toEqual(['count', 'who']);
  });

  it('keep French punctuation with its word', async () => {
    expect(typesetFrench('Lien : « a » ? 5 %')).toBe('Lien\u00a0: «\u00a0a\u00a0»\u202f? 5\u202f%');
    const loose = Object.values(await loadTranslation('fr')).filter((text) => / [:;!?%»]|« /.test(text));
    expect(loose).toEqual([]);
  });

  it('name keys as the keyboards of the language do', () => {
    expect(['Ctrl Space', 'Del', 'Esc', '⇧ S'].map((keys) => nameKeys(keys, 'de'))).toEqual([
      'Strg Leertaste',
      'Entf',
      'Esc',
      '⇧ S',
    ]);
    expect(['Ctrl E', 'Esc'].map((keys) => nameKeys(keys, 'fr'))).toEqual(['Ctrl E', 'Échap']);
  });

  it('follow the languages that the browser prefers', () => {
    expect(preferredLocale(['pt-BR', 'de-AT', 'en'])).toBe('de');
    expect(preferredLocale(['xx'])).toBe('en');
    expect(withRegion('en', ['de-DE', 'en-GB'])).toBe('en-GB');
  });
});
