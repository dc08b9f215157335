import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  presentWarning,
  type StoredWarning,
  WARNINGS,
  warningOf,
} from '../../../electron/contract/warnings.ts';
import { TOPIC_NAMES } from '../../../electron/core/analysis/topics/topics.ts';
import { LOCALES, loadServerTexts, translateTopic, translateWarning } from '../../../renderer/i18n/index.ts';

const SOURCES = globSync('electron/core/**/*.ts')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Where the server's sources have the reason of a warning. */
const REASON_SOURCES = [
  /notTranslated\(\s*['`]([^'`]+)['`]/g,
  /notVerified\(\s*model\.id,\s*['`]([^'`]+)['`]/g,
  /LlmError\('\w+', ['`]([^'`]+)['`]/g,
  /warningOf\('\w+', \{ reason: '([^']+)'/g,
  /^ {2}(?:engine|model|file|decode|disk)_\w+: '(the [^']+)',$/gm,
];

describe.each(LOCALES.filter((locale) => locale !== 'en'))('texts of the server in %s', (locale) => {
  it('name every topic', async () => {
    const texts = await loadServerTexts(locale);
    expect(Object.keys(texts.topics)).toEqual(TOPIC_NAMES);
    expect(translateTopic(texts, 'Gardening')).not.toBe('Gardening');
    expect(translateTopic(texts, 'A topic of tomorrow')).toBe('A topic of tomorrow');
  });

  it('translate every warning, with its values', async () => {
    const { warnings } = await loadServerTexts(locale);
    const names = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
    expect(Object.keys(warnings)).toEqual(Object.keys(WARNINGS));
    for (const [code, english] of Object.entries(WARNINGS))
      expect(names(new Map(Object.entries(warnings)).get(code) ?? ''), code).toEqual(names(english));
  });

  it('translate reasons that the server has', async () => {
    const { reasons } = await loadServerTexts(locale);
    for (const [english, translated] of Object.entries(reasons)) {
      for (const part of english.split(/\{\w+\}/).filter((text) => text.length > 8))
        expect(SOURCES, english).toContain(part);
      expect(translated.match(/\{\w+\}/g) ?? [], english).toEqual(english.match(/\{\w+\}/g) ?? []);
    }
  });

  it('translate every reason that the server has', async () => {
    const texts = await loadServerTexts(locale);
    const found = REASON_SOURCES.flatMap((pattern) =>
      [...SOURCES.matchAll(pattern)].map((match) => (match[1] ?? '').replaceAll(/\$\{[^}]+\}/g, 'de')),
    );
    expect(found.length).toBeGreaterThan(15);
    for (const reason of found) {
      const text = translateWarning(texts, presentWarning(warningOf('llm_failed', { reason })), locale);
      expect(text, reason).not.toContain(reason);
    }
  });

  it('name the language of a recording', async () => {
    const texts = await loadServerTexts(locale);
    const written = { model: 'parakeet', places: '0:12', language: 'de' };
    const reason = 'it does not know the language of the recording (de)';
    for (const warning of [
      warningOf('english_written', written),
      warningOf('not_verified', { model: 'tiny.en', reason }),
    ])
      expect(translateWarning(texts, presentWarning(warning), locale)).toMatch(
        /\((Deutsch|alemán|allemand)\)/,
      );
  });

  it('keep the values of a warning, and warnings that are unknown', async () => {
    const texts = await loadServerTexts(locale);
    const prompt = translateWarning(
      texts,
      presentWarning(warningOf('prompt_ignored', { model: 'starter-x' })),
      locale,
    );
    expect(prompt).toContain('starter-x');
    expect(prompt).not.toContain('effect:');
    expect(translateWarning(texts, presentWarning('Something new.'), locale)).toBe('Something new.');
    const failed = translateWarning(
      texts,
      presentWarning(warningOf('llm_failed', { reason: 'it answered with status 500' })),
      locale,
    );
    expect(failed).toContain('500');
    expect(failed).not.toMatch(/answered|sentences/);
  });
});

describe('warnings in English', () => {
  it('are the sentences of the server, with languages by name', async () => {
    const texts = await loadServerTexts('en');
    const shown = (warning: StoredWarning) => translateWarning(texts, presentWarning(warning), 'en');
    const plain = warningOf('prompt_ignored', { model: 'starter-x' });
    expect(shown(plain)).toBe(presentWarning(plain).message);
    for (const code of ['english_written', 'not_verified'] as const)
      expect(texts.warnings[code]).toBe(WARNINGS[code]);
    expect(
      shown(
        warningOf('not_verified', {
          model: 'tiny.en',
          reason: 'it does not know the language of the recording (de)',
        }),
      ),
    ).toBe(
      'The text was not checked with the model tiny.en: it does not know the language of the recording (German).',
    );
    expect(shown(warningOf('english_written', { model: 'm', places: '0:12', language: 'de' }))).toContain(
      'another language (German)',
    );
  });
});
