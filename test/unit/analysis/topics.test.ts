import { describe, expect, it } from 'vitest';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { findKeyPhrases } from '../../../electron/core/analysis/topics/key-phrases.ts';
import { findTopics, TOPIC_NAMES } from '../../../electron/core/analysis/topics/topics.ts';
import { sentencesOf } from '../../support/sentences-of.ts';
import { readTexts } from './support/corpus.ts';
import { transcriptOf } from './support/transcripts.ts';

describe('topics', () => {
  it('come from a taxonomy of about a hundred names without duplicates', () => {
    expect(TOPIC_NAMES.length).toBeGreaterThanOrEqual(100);
    expect(new Set(TOPIC_NAMES).size).toBe(TOPIC_NAMES.length);
  });

  it.each(readTexts('texts.txt').map((text) => [text.title, text] as const))('%s', async (_, text) => {
    const topics = findTopics(text.text);
    for (const topic of text.topics) expect(TOPIC_NAMES).toContain(topic);
    expect(text.topics).toContain(topics[0]);
    expect(topics.length).toBeLessThanOrEqual(4);
  });

  it('reach a recall of 0.9', async () => {
    let right = 0;
    let wanted = 0;
    for (const text of readTexts('texts.txt')) {
      const topics = findTopics(text.text);
      right += text.topics.filter((topic) => topics.includes(topic)).length;
      wanted += text.topics.length;
    }
    expect(right / wanted).toBeGreaterThanOrEqual(0.9);
  });

  it('are empty for small talk, and for another language, with a warning', async () => {
    expect(findTopics('Hello, how are you? Fine, thanks. See you.')).toEqual([]);
    const german = await analyze(
      transcriptOf(['Der neue Server läuft in der Cloud und die Datenbank auch.'], 'de'),
      { topics: true },
      { secret: 'x' },
    );
    expect(german.topics).toEqual([]);
    expect(german.key_phrases).toContain('Datenbank');
    expect(sentencesOf(german.warnings).join()).toContain('English only');
  });
});

describe('key phrases', () => {
  it('are phrases of the text, without stop words at their ends or redaction tokens', async () => {
    const text =
      'The solar panels on the roof are new. Solar panels need sun. [PERSON_NAME_1a2b3c4d] bought the solar panels.';
    const phrases = findKeyPhrases(text, 'en');
    expect(phrases[0]?.toLowerCase()).toBe('solar panels');
    for (const phrase of phrases) expect(text.toLowerCase()).toContain(phrase.toLowerCase());
    expect(phrases.join()).not.toContain('PERSON_NAME');
  });

  it('are empty for an empty text', async () => {
    expect(findKeyPhrases('', 'en')).toEqual([]);
  });
});
