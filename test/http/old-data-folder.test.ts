import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIO_FIXTURES, ROOT } from '../support/paths.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';

const FOLDER = join(ROOT, 'test', 'fixtures', 'data-folder');

type Answer = Record<string, unknown>;
type TranscriptAnswer = Answer & { status: string; text: string; segments: { text: string; end: number }[] };

const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));

/** What the folder consists of beside the database, and which transcripts are in it. */
const state = readJson<{
  secret: string;
  localKey: string;
  marker: string;
  objects: Record<string, string>;
  userKey: string;
  ids: Record<'full' | 'two' | 'redacted' | 'failed' | 'edited' | 'long' | 'waiting' | 'other', string>;
  other: { id: string; answer: Answer };
}>('state.json');

/** What version 0.1.0 answered: before it was killed, and after it had finished its jobs. */
const recorded = readJson<{
  answers: Record<string, Answer>;
  finished: Record<'full' | 'long' | 'waiting', TranscriptAnswer>;
}>('answers.json');

/** Segments of the long recording that were saved when the program was killed. */
const SAVED_SEGMENTS = 9;

/** The second at which the interrupted job ends, between two sentences. */
const LONG_END = 52.5;

/** Settings that name models which no longer come along, and one that is gone. */
const FORMER_SETTINGS = [
  ['models.aliases.pro', '"starter"'],
  ['speakers.embedding', '"embedding-starter"'],
  ['engine.quantize', '"off"'],
] as const;

const restoreFolder = (): string => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'earshot.db'), gunzipSync(readFileSync(join(FOLDER, 'earshot.db.gz'))));
  const db = new BetterSqlite3(join(folder, 'earshot.db'));
  db.prepare('UPDATE transcripts SET audio_end_at = ? WHERE id = ?').run(LONG_END, state.ids.long);
  for (const setting of FORMER_SETTINGS)
    db.prepare('INSERT OR REPLACE INTO settings VALUES (?, ?)').run(setting);
  db.close();
  mkdirSync(join(folder, 'models', 'quantized'), { recursive: true });
  writeFileSync(join(folder, 'models', 'quantized', 'ggml-small-q8_0.bin'), 'a copy in 8 bits');
  writeFileSync(join(folder, 'secret'), state.secret, { mode: 0o600 });
  writeFileSync(join(folder, 'local-key'), state.localKey, { mode: 0o600 });
  mkdirSync(join(folder, 'objects'));
  writeFileSync(join(folder, 'objects', 'earshot-objects.json'), state.marker);
  for (const [object, recording] of Object.entries(state.objects)) {
    const path = join(folder, 'objects', object.slice(0, 2), object.slice(2, 4), object);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(AUDIO_FIXTURES, recording), path);
  }
  return folder;
};

/** Addresses without the port, which differs in each run. */
const withoutPorts = (text: string): string =>
  text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://earshot');

describe('a data folder of version 0.1.0 whose program was killed during a job', () => {
  let server: TestServer;

  const answerOf = async <T = Answer>(path: string, key?: string): Promise<T> => {
    const init = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
    const text = withoutPorts(await (await server.fetch(path, init)).text());
    return path.includes('/export?') && !path.includes('json') ? (text as T) : JSON.parse(text);
  };

  beforeAll(async () => {
    server = await startServer({ dataDir: restoreFolder(), env: { TZ: 'UTC' } });
  });
  afterAll(() => server.stop());

  /** Markdown said UTC; it has the local time since. */
  const withLocalDate = (answer: unknown): unknown =>
    typeof answer === 'string' ? answer.replace(/(\*\*Date:\*\* .*) UTC$/m, '$1') : answer;

  const { ids } = state;
  const finishedIds = [ids.two, ids.redacted, ids.failed, ids.edited];
  const ofFinished = Object.keys(recorded.answers).filter((path) =>
    finishedIds.some((id) => path.includes(id)),
  );

  it.each([
    ...ofFinished,
    '/v1/voices',
    '/v1/users',
    '/v1/storage/files',
    '/v1/storage/info',
    '/v1/transcript/search?q=zebra',
  ])('answers %s as before, later fields aside', async (path) => {
    // In an object of its own, since exports are text.
    expect({ answer: await answerOf(path) }).toMatchObject({ answer: withLocalDate(recorded.answers[path]) });
  });

  it('answers the settings as before, later ones aside', async () => {
    type Settings = { data: { key: string }[] };
    const { data } = await answerOf<Settings>('/v1/settings');
    const { answers } = readJson<{ answers: { '/v1/settings': Settings } }>('answers.json');
    // engine.acceleration became engine.device, whose default means the same; some are no settings any more, and other models
    // come along.
    const changed =
      /^engine\.(?:acceleration|fitWindow|idleSeconds)|^webhooks\.|^llm\.timeout|^speakers\.|^models\.aliases/;
    const before = answers['/v1/settings'].data.filter(({ key }) => !changed.test(key));
    const known = new Set(before.map(({ key }) => key));
    expect(known.size).toBeGreaterThan(20);
    expect(data.filter(({ key }) => known.has(key))).toMatchObject(before);
    expect(await server.log()).toMatch(/"settings":"engine.quantize".*have no effect/);
  });

  it('forgets the models that no longer come along', async () => {
    const { data } = await server.client.call('getSettings');
    const of = (key: string) => data.find((setting) => setting.key === key);
    expect(of('models.aliases.pro')).toMatchObject({ default: 'large-v3-turbo-q8_0', source: 'run' });
    expect(of('speakers.embedding')).toMatchObject({
      value: 'embedding-campplus-zh-en-small',
      source: 'default',
    });
    expect(of('engine.quantize')).toBeUndefined();
    expect(existsSync(join(server.dataDir, 'models', 'quantized'))).toBe(false);
  });

  it('accepts the key of another user and shows that user’s transcript', async () => {
    expect(await answerOf(`/v1/transcript/id/${state.other.id}`, state.userKey)).toMatchObject(
      state.other.answer,
    );
  });

  it('keeps the pending webhook delivery', async () => {
    const { data } = await answerOf<{ data: Answer[] }>('/v1/webhooks/deliveries');
    expect(data).toMatchObject([{ transcript_id: ids.edited, url: 'http://earshot/hook' }]);
  });

  const finished = (id: string): Promise<TranscriptAnswer> =>
    until(async () => {
      const answer = await answerOf<TranscriptAnswer>(`/v1/transcript/id/${id}`);
      return answer.status === 'processing' ? undefined : answer;
    });

  it('makes the waiting analysis of a finished transcript', async () => {
    const { completed_at: _, ...answer } = await finished(ids.full);
    const { completed_at: __, ...before } = recorded.finished.full;
    expect(answer).toMatchObject(before);
  });

  it('resumes the interrupted recognition after its saved segments', async () => {
    const answer = await finished(ids.long);
    const before = recorded.finished.long;
    expect(answer.status).toBe('completed');
    expect(answer.segments.slice(0, SAVED_SEGMENTS)).toMatchObject(before.segments.slice(0, SAVED_SEGMENTS));
    const spoken = before.segments.filter(({ end }) => end <= LONG_END);
    const text = spoken.map((segment) => segment.text).join(' ');
    expect(wordErrorRate(text, answer.text)).toBeLessThan(0.05);
  });

  it('runs the job that waited', async () => {
    const answer = await finished(ids.waiting);
    expect(answer).toMatchObject({ status: 'completed', name: 'Waiting' });
    expect(wordErrorRate(recorded.finished.waiting.text, answer.text)).toBeLessThan(0.05);
  });

  it('counts what it finds now in a redacted text, which stays as it was', async () => {
    const params = { id: ids.redacted };
    const before = await server.client.call('getTranscript', { params });
    expect(before.private_data).toBeUndefined();
    const counted = await server.client.call('redactWords', {
      params,
      body: { segments: [], wait_until_complete: true },
    });
    expect(counted).toMatchObject({
      status: 'completed',
      text: before.text,
      private_data: { hidden: {}, left: {} },
    });
  });
});
