import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTITY_TYPES } from '../../../electron/contract/analysis.ts';
import { AnalyzeTranscript, type Transcription } from '../../../electron/contract/transcript.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { transcribe } from '../../support/transcribe.ts';
import { startUrlServer, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;
let news: Transcription;

const NEWS = '11-news-and-entities.wav';
/** Three sentences of the Spanish recording: enough to choose from for a summary. */
const SOME = { audio_end_at: 8.7 } as const;

beforeAll(async () => {
  [server, remote] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
  ]);
  news = await transcribe(server, remote, NEWS, {
    entity_detection: true,
    topics: true,
    summarization: true,
    // Three sentences with money, dates, places and a person.
    audio_end_at: 11.3,
  });
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const expectExact = ({ text, entities = [] }: Transcription) => {
  for (const entity of entities) {
    expect(text.slice(entity.startIndex, entity.endIndex)).toBe(entity.text);
    expect(ENTITY_TYPES).toContain(entity.type);
  }
};

describe('requested analyses', () => {
  it('are part of the transcription, with exact positions', () => {
    expect(news.status).toBe('completed');
    expect(news.entities?.length).toBeGreaterThan(2);
    expectExact(news);
    expect(news.topics?.length).toBeLessThanOrEqual(10);
    expect(news.key_phrases?.length).toBeGreaterThan(0);
    expect(news.summary).toMatchObject({ type: 'bullets', language: 'en', engine: 'extractive' });
    for (const line of news.summary?.text.split('\n') ?? []) expect(line).toMatch(/^• /);
  });

  it('are stored, and absent if not requested', async () => {
    const again = await server.client.call('getTranscript', { params: { id: news.id } });
    expect(again.entities).toEqual(news.entities);
    for (const name of ['content_safety', 'speakers', 'redaction_report', 'redacted_audio_url']) {
      expect(again).not.toHaveProperty(name);
    }
  });

  it('are limited to the requested entity types', async () => {
    const t = await transcribe(server, remote, NEWS, {
      entity_detection: true,
      entity_types: ['date'],
      audio_end_at: 8,
    });
    expect(new Set(t.entities?.map((entity) => entity.type))).toEqual(new Set(['date']));
    expect(t).not.toHaveProperty('topics');
  });

  it('mask profanity and report the labels', async () => {
    const t = await transcribe(server, remote, '12-moderation.webm', {
      content_safety: true,
      audio_end_at: 5.6,
    });
    expect(t.content_safety?.flagged).toBe(true);
    expect(t.content_safety?.labels.map(({ label }) => label)).toContain('profanity');
    expect(t.text).toMatch(/\b\w\*{2,}/);
    for (const name of ['entities', 'topics']) expect(t).not.toHaveProperty(name);
    expect(t.segments.map((segment) => segment.text).join(' ')).toBe(t.text);
  });

  it('summarize in the language of the transcript if nothing can translate it, with a warning', async () => {
    const asked = { summarization: true, model: 'starter', ...SOME };
    const t = await transcribe(server, remote, '05-spanish.ogg', asked);
    expect(t.summary?.language).toBe('es');
    expect(t.warnings.join(' ')).toContain('stays in the transcript');
    // This model was trained only to transcribe: asked to translate, it writes Spanish again.
    expect(t.warnings.join(' ')).toContain('the model starter wrote the same words again');
    const own = await server.client.call('analyzeTranscript', {
      params: { id: t.id },
      body: AnalyzeTranscript.parse({
        summarization: true,
        summary_language: 'es',
        wait_until_complete: true,
      }),
    });
    expect(own.summary?.language).toBe('es');
  });
});

describe('an edit', () => {
  it('moves the entities with the text', async () => {
    const first = news.segments[0]?.text ?? '';
    const edited = await server.client.call('patchTranscript', {
      params: { id: news.id },
      body: { segments: [{ id: 0, text: `Yesterday Maria Lopez called from Berlin. ${first}` }] },
    });
    expectExact(edited);
    const found = edited.entities?.map(({ type, text }) => `${type} ${text}`);
    expect(found).toEqual(expect.arrayContaining(['person Maria Lopez', 'location Berlin']));
    expect(edited.entities?.length).toBeGreaterThan(news.entities?.length ?? 0);
    expect(edited.summary?.engine).toBe('extractive');
  });

  it('loses nothing if two arrive at once', async () => {
    const patch = (id: number, text: string) =>
      server.client.call('patchTranscript', {
        params: { id: news.id },
        body: { segments: [{ id, text }] },
      });
    await Promise.all([patch(0, 'First segment by Anna Weber.'), patch(1, 'Second segment by Tom Baker.')]);
    const t = await server.client.call('getTranscript', { params: { id: news.id } });
    expect(t.text).toMatch(/^First segment by Anna Weber\. Second segment by Tom Baker\./);
    expectExact(t);
  });
});

it('entities of another analysis are limited to the requested types, too', async () => {
  const { text, entities } = await server.client.call('analyzeTranscript', {
    params: { id: news.id },
    body: AnalyzeTranscript.parse({
      entity_detection: true,
      entity_types: ['location'],
      wait_until_complete: true,
    }),
  });
  expect(text).toContain('Anna Weber');
  expect(new Set(entities?.map(({ type }) => type))).toEqual(new Set(['location']));
});
