import { openAsBlob, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { SPEECH_FIXTURES } from '../support/paths.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';
import { timeErrors } from '../support/word-times.ts';

const Label = z.object({
  file: z.string(),
  language: z.string(),
  text: z.string().default(''),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).default([]),
});

const labels = new Map(
  readdirSync(SPEECH_FIXTURES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [
      name.slice(0, -'.json'.length),
      Label.parse(JSON.parse(readFileSync(join(SPEECH_FIXTURES, name), 'utf8'))),
    ]),
);
const labelOf = (name: string): z.output<typeof Label> => {
  const label = labels.get(name);
  if (label === undefined) throw new Error(`There is no recording ${name}.`);
  return label;
};

/** Chinese is compared by characters. */
const unitsOf = (text: string, language: string): string[] =>
  language === 'zh' ? Array.from(plainWords(text).join('')) : plainWords(text);

/** The recordings, and the share of words, or of characters, that may be wrong; measured, with room for other processors. */
const SPOKEN = {
  'en-printing': 0.1,
  'en-quiet': 0.2,
  'en-three-speakers': 0.2,
  'de-eurasia': 0.25,
  'fr-consulate': 0.35,
  'nl-dog': 0.3,
  'zh-guangzhou': 0.45,
} as const;

describe('real speech with Whisper base', () => {
  let server: TestServer;
  const heard = new Map<string, Promise<Transcription>>();

  const transcribe = async (name: string): Promise<Transcription> => {
    const { file } = labelOf(name);
    const form = new FormData();
    form.append('file', await openAsBlob(join(SPEECH_FIXTURES, file)), file);
    const { data } = await server.client.call('uploadFile', { body: form });
    const audio_url = `storage:${data.file.key}`;
    const body = { audio_url, model: 'mini', timestamp_style: 'word', wait_until_complete: true } as const;
    return server.client.call('createTranscript', { body });
  };
  const hear = (name: string): Promise<Transcription> => {
    const known = heard.get(name) ?? transcribe(name);
    heard.set(name, known);
    return known;
  };

  beforeAll(async () => {
    server = await startServer({ args: [] });
  });
  afterAll(() => discard(server));

  it.each(Object.entries(SPOKEN))(
    'hears %s with at most %f of it wrong, in its language',
    async (name, most) => {
      const { text, language } = labelOf(name);
      const found = await hear(name);
      const truth = unitsOf(text, language);
      expect(wordErrors(truth, unitsOf(found.text, language)) / truth.length, found.text).toBeLessThanOrEqual(
        most,
      );
      expect(found.language).toBe(language);
    },
  );

  it.each(['nospeech-castanets', 'nospeech-room'])('invents nothing in %s', async (name) => {
    expect((await hear(name)).text).toBe('');
  });

  it('writes Chinese in simplified characters', async () => {
    const { text } = await hear('zh-guangzhou');
    expect(text).toContain('广州');
    expect(text).not.toMatch(/[廣產協會]/u);
  });

  it('knows when each word begins', async () => {
    const { segments } = await hear('en-mary');
    const words = segments.flatMap((segment) => segment.words ?? []);
    const { starts } = timeErrors(labelOf('en-mary').words, words);
    expect(starts.length).toBeGreaterThanOrEqual(3);
    for (const start of starts) expect(Math.abs(start)).toBeLessThanOrEqual(150);
  });
});
