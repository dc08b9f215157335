import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../electron/contract/settings.ts';
import { GROUPS } from '../../../renderer/features/settings/setting-groups.ts';
import { formatMessage, placeholders } from '../../../renderer/i18n/format.ts';
import { preferredLocale, regional } from '../../../renderer/i18n/index.ts';
import german from '../../../renderer/i18n/messages/de.json' with { type: 'json' };
import english from '../../../renderer/i18n/messages/en.json' with { type: 'json' };
import spanish from '../../../renderer/i18n/messages/es.json' with { type: 'json' };
import french from '../../../renderer/i18n/messages/fr.json' with { type: 'json' };

/** Texts of several words that a translation may rightly leave as they are. */
const SAME_ANYWHERE = new Set(['≈ {time}']);

describe('the messages', () => {
  it.each([
    ['German', german],
    ['Spanish', spanish],
    ['French', french],
  ] as const)('are all there in %s, with the same values', (_name, messages) => {
    const translated: Readonly<Record<string, string>> = messages;
    expect(Object.keys(messages)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(english))
      expect(placeholders(translated[key] ?? ''), key).toEqual(placeholders(text));
  });

  it.each([
    ['German', german],
    ['Spanish', spanish],
    ['French', french],
  ] as const)('are really in %s', (_name, messages) => {
    const translated: Readonly<Record<string, string>> = messages;
    const same = Object.entries(english).filter(
      ([key, text]) => text.includes(' ') && translated[key] === text && !SAME_ANYWHERE.has(text),
    );
    expect(same).toEqual([]);
  });

  it('fill in values, and choose by the plural of the language', () => {
    const words = '{count, plural, one {# word} other {# words}} in {place}';
    expect(formatMessage(words, { count: 1, place: 'all' }, 'en')).toBe('1 word in all');
    expect(formatMessage(words, { count: 11_204, place: 'all' }, 'en')).toBe('11,204 words in all');
    expect(formatMessage(words, { count: 0, place: 'x' }, 'fr')).toBe('0 word in x');
    expect(formatMessage('{name}', { name: '{count}' }, 'en')).toBe('{count}');
  });

  it('are chosen by what the browser asks for', () => {
    expect(preferredLocale(['pt-BR', 'de-AT', 'en'])).toBe('de');
    expect(preferredLocale(['xx'])).toBe('en');
    expect(regional('en', ['de-DE', 'en-GB'])).toBe('en-GB');
  });
});

describe('the settings page', () => {
  it('has a place for every setting of the installation, and only one', () => {
    const placed = GROUPS.flatMap((group) => group.parts.flatMap((part) => part.keys));
    expect([...placed].sort()).toEqual(Object.keys(SETTINGS).sort());
  });
});
