import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeWarning, WARNINGS, warningText } from '../../../electron/contract/warnings.ts';
import { TOPIC_NAMES } from '../../../electron/core/analysis/topics/topics.ts';
import { LOCALES, loadServerTexts } from '../../../renderer/i18n/index.ts';
import { translateTopic, translateWarning } from '../../../renderer/i18n/server-texts.ts';

const SOURCES = globSync('electron/core/**/*.ts')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

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
      for (const part of english.split(/\{\d\}/).filter((text) => text.length > 8))
        expect(SOURCES, english).toContain(part);
      expect(translated.match(/\{\d\}/g) ?? [], english).toEqual(english.match(/\{\d\}/g) ?? []);
    }
  });

  it('keep the values of a warning, and warnings that are unknown', async () => {
    const texts = await loadServerTexts(locale);
    const prompt = translateWarning(
      texts,
      describeWarning(warningText('prompt_ignored', { model: 'starter-x' })),
    );
    expect(prompt).toContain('starter-x');
    expect(prompt).not.toContain('effect:');
    expect(translateWarning(texts, describeWarning('Something new.'))).toBe('Something new.');
    const failed = translateWarning(
      texts,
      describeWarning(warningText('llm_failed', { reason: 'it answered with status 500' })),
    );
    expect(failed).toContain('500');
    expect(failed).not.toMatch(/answered|sentences/);
  });
});
