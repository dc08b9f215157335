import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tinyWav } from '../support/audio.ts';
import { ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribe } from '../support/transcribe.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

vi.setConfig({ testTimeout: 240_000 });

let server: TestServer;
let remote: UrlServer;
beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const post = async (vocabulary: unknown) => {
  const response = await server.fetch('/v1/transcript', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ audio_url: 'https://example.invalid/a.mp3', vocabulary }),
  });
  return { status: response.status, body: await response.json() };
};

const put = (terms: unknown, key = server.key) =>
  fetch(`${server.url}/v1/vocabulary`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ terms }),
  });

const storedOptions = (id: string): string => {
  const db = new BetterSqlite3(join(server.dataDir, 'earshot.db'), { readonly: true });
  const row = db.prepare('SELECT options FROM transcripts WHERE id = ?').get(id);
  db.close();
  return JSON.stringify(row);
};

describe('a vocabulary', () => {
  it('writes the terms of what it was told is misheard, before custom_spelling', async () => {
    const { text, segments } = await transcribe(server, remote, ONE_SENTENCE, {
      language: 'en',
      timestamp_style: 'word',
      vocabulary: [
        { term: 'Klarke', sounds_like: ['Clark'] },
        { term: 'Nordwind', sounds_like: ['Northwind'], weight: 0 },
      ],
      custom_spelling: [{ from: ['nordwind'], to: 'Nordwind AG' }],
    });
    expect(text).toContain('David Klarke and I work at Nordwind AG.');
    expect(segments.flatMap(({ words = [] }) => words.map(({ word }) => word)).join(' ')).toBe(text);
  });

  it('applies a mishearing, or says where it stayed', async () => {
    const { text, warning_details } = await transcribe(server, remote, ONE_SENTENCE, {
      language: 'en',
      vocabulary: ['David', 'Clark', 'work', 'Northwind'].map((heard) => ({
        term: `${heard}ish`,
        sounds_like: [heard],
      })),
    });
    const stayed = warning_details.find(({ code }) => code === 'mishearing_kept')?.values.places ?? '';
    const applied = text.match(/ish\b/g)?.length ?? 0;
    expect(applied + stayed.split(', ').filter((place) => place !== '').length).toBe(4);
  });

  it('is not kept with a redacted transcript', async () => {
    const audio_url = remote.set('/recording.wav', file(tinyWav()));
    const { id, status } = await server.client.call('createTranscript', {
      body: {
        audio_url,
        model: 'starter-parakeet',
        vocabulary: ['Klarke'],
        redact_pii: true,
        wait_until_complete: true,
      },
    });
    expect(status).toBe('completed');
    expect(storedOptions(id)).not.toContain('Klarke');
  });

  it.each<[string, unknown, string]>([
    ['no list', 'Nguyen', 'vocabulary'],
    ['too many terms', Array.from({ length: 1001 }, (_, index) => `Term ${index}`), 'vocabulary'],
    ['an empty term', ['Ana', ' '], 'vocabulary.1'],
    ['punctuation alone', ['--'], 'vocabulary.0'],
    ['a line break', ['Ana\nBo'], 'vocabulary.0'],
    ['a term that is too long', ['x'.repeat(201)], 'vocabulary.0'],
    ['a weight above 10', [{ term: 'Ana', weight: 11 }], 'vocabulary.0'],
    ['an unknown field', [{ term: 'Ana', wieght: 2 }], 'vocabulary.0'],
    ['no mishearing', [{ term: 'Ana', sounds_like: [] }], 'vocabulary.0'],
  ])('is refused with %s', async (_, vocabulary, path) => {
    const { status, body } = await post(vocabulary);
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, code: 'invalid_request' });
    expect(body.details[0].path.startsWith(path)).toBe(true);
    expect(body.details[0].message).not.toBe('Invalid input');
  });
});

describe("a user's vocabulary", () => {
  afterAll(() => put([]));

  it('is empty at first, replaced as a whole, kept over a restart, and each user has one', async () => {
    expect((await server.client.call('getVocabulary')).data).toEqual({ terms: [], updated_at: null });
    const terms = [
      { term: 'Klarke', sounds_like: ['Clark'] },
      { term: 'Nordwind', sounds_like: ['Northwind'], weight: 0 },
    ];
    expect((await put(['Old', 'Older'])).status).toBe(200);
    expect((await put(terms)).status).toBe(200);
    const { dataDir } = server;
    await server.stop();
    server = await startServer({ dataDir });
    expect((await server.client.call('getVocabulary')).data).toMatchObject({
      terms,
      updated_at: expect.any(String),
    });
    const { data: user } = await server.client.call('createUser', { body: { name: 'Another' } });
    expect((await server.as(user.key.key).call('getVocabulary')).data.terms).toEqual([]);
  });

  it('is used where a request has none; a list of its own, also an empty one, takes its place', async () => {
    const language = 'en';
    const { text } = await transcribe(server, remote, ONE_SENTENCE, { language });
    expect(text).toContain('David Klarke and I work at Nordwind.');
    const plain = await transcribe(server, remote, ONE_SENTENCE, { language, vocabulary: [] });
    expect(plain.text).toContain('David Clark and I work at Northwind.');
    // None of these is said, which leaves the text alone.
    const vocabulary = ['Kubernetes', 'Nguyen', 'Grafana', 'Szymański'];
    const own = await transcribe(server, remote, ONE_SENTENCE, { language, vocabulary });
    expect(own.text).toBe(plain.text);
  });

  it.each<[string, unknown, string]>([
    ['no list', 'Nguyen', 'terms'],
    ['too many terms', Array.from({ length: 1001 }, (_, index) => `Term ${index}`), 'terms'],
    ['an empty term', ['Ana', ' '], 'terms.1'],
  ])('is refused with %s, and stays', async (_, terms, path) => {
    const before = await server.client.call('getVocabulary');
    const response = await put(terms);
    const body = await response.json();
    expect([response.status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.details[0].path.startsWith(path)).toBe(true);
    expect(await server.client.call('getVocabulary')).toEqual(before);
  });
});
