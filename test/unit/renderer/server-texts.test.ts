import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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

  it('translate the sentences that the server has', async () => {
    const { warnings, reasons } = await loadServerTexts(locale);
    for (const [english, translated] of Object.entries({ ...warnings, ...reasons })) {
      for (const part of english.split(/\{\d\}/).filter((text) => text.length > 8))
        expect(SOURCES, english).toContain(part);
      expect(translated.match(/\{\d\}/g) ?? [], english).toEqual(english.match(/\{\d\}/g) ?? []);
    }
  });

  it('keep the parts of a sentence, and sentences that are unknown', async () => {
    const texts = await loadServerTexts(locale);
    const prompt = translateWarning(
      texts,
      'The prompt had no effect: the model starter-x does not take one.',
    );
    expect(prompt).toContain('starter-x');
    expect(prompt).not.toContain('effect:');
    expect(translateWarning(texts, 'Something new.')).toBe('Something new.');
    const failed = translateWarning(
      texts,
      'The local language model failed (it answered with status 500): sentences were extracted instead.',
    );
    expect(failed).toContain('500');
    expect(failed).not.toMatch(/answered|sentences/);
  });
});
