import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AnalyzeTranscript,
  type CreateTranscriptInput,
  type Transcription,
} from '../../../electron/contract/transcript.ts';
import { wav } from '../../support/audio.ts';
import { fixture } from '../../support/fixtures.ts';
import { killOnCommit } from '../../support/kill-on-commit.ts';
import { filesHolding } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const SENTENCE = fixture('00-one-sentence.wav');
/** Its "Good morning", for tests to which it does not matter what is redacted: without a value there is nothing to check. */
const GREETING = wav(new Int16Array(new Uint8Array(SENTENCE.subarray(44, 44 + 2 * 16_000)).buffer));
/** A part of both. */
const SOUND = SENTENCE.subarray(20_000, 20_064);
const PATIENCE_MS = 240_000;

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});
afterAll(async () => {
  await discard(server);
});

const upload = async (recording = GREETING): Promise<string> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(recording)], { type: 'audio/wav' }), 'Call.wav');
  const { data } = await server.client.call('uploadFile', { body: form });
  return data.file.key;
};

const transcribe = (key: string, asked: Omit<CreateTranscriptInput, 'audio_url'> = {}) =>
  server.client.call('createTranscript', {
    body: { audio_url: `storage:${key}`, wait_until_complete: true, ...asked },
  });

const hasFile = async (key: string): Promise<boolean> => {
  const answer = await server.fetch(`/v1/storage/file/${encodeURIComponent(key)}`);
  expect([200, 404]).toContain(answer.status);
  return answer.status === 200;
};

const redaction = { redact_pii: true, redact_source: 'delete' } as const;

// That it is kept unless its deletion is requested is in `redaction.test.ts`.
describe('the stored file of a redacted transcript', () => {
  it('is deleted with its bytes when the transcript is completed, and the bleeped copy plays', async () => {
    const key = await upload(SENTENCE);
    expect(filesHolding(server.dataDir, SOUND)).toHaveLength(1);
    const t = await transcribe(key, redaction);
    expect(filesHolding(server.dataDir, SOUND)).toEqual([]);
    expect(t).toMatchObject({ status: 'completed', warnings: [] });
    expect(t.redaction_report).toMatchObject({ source: 'deleted', checked: true });
    expect(t.redaction_report?.spans).toBeGreaterThan(0);
    expect(await hasFile(key)).toBe(false);
    expect((await server.fetch(`/v1/transcript/id/${t.id}/audio`)).status).toBe(200);
  });

  it('is kept while another transcript was made from it, until that is redacted as well', async () => {
    const key = await upload();
    const other = await transcribe(key);
    const t = await transcribe(key, redaction);
    expect(t.redaction_report?.source).toBe('kept_in_use');
    expect(t.warnings.join(' ')).toContain('another transcript');
    expect(await hasFile(key)).toBe(true);
    expect((await server.fetch(`/v1/transcript/id/${other.id}/audio`)).status).toBe(200);
    const analyze = (asked: Parameters<typeof AnalyzeTranscript.parse>[0] & object) => {
      const body = AnalyzeTranscript.parse({ ...asked, wait_until_complete: true });
      return server.client.call('analyzeTranscript', { params: { id: other.id }, body });
    };
    expect((await analyze(redaction)).redaction_report?.source).toBe('deleted');
    expect(await hasFile(key)).toBe(false);
    const first = await server.client.call('getTranscript', { params: { id: t.id } });
    expect(first.redaction_report?.source).toBe('deleted');
    expect((await analyze({ topics: true })).redaction_report?.source).toBe('deleted');
  });

  it('is kept by a job that fails or is cancelled', async () => {
    const key = await upload();
    const failed = await transcribe(key, { ...redaction, audio_start_from: 5000 });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'empty_range' } });
    await server.client.call('pauseQueue');
    const { id } = await transcribe(key, { ...redaction, wait_until_complete: false });
    await server.client.call('cancelTranscript', { params: { id } });
    await server.client.call('resumeQueue');
    expect(await hasFile(key)).toBe(true);
  });

  it('is refused a deletion without a redaction', async () => {
    const fields = { redact_source: 'delete', topics: true };
    for (const [path, body] of [
      ['/v1/transcript', { ...fields, audio_url: 'storage:/usr/none.wav' }],
      ['/v1/transcript/id/tr_none/analyze', fields],
    ] as const) {
      const headers = { 'content-type': 'application/json' };
      const answer = await server.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(answer.status).toBe(400);
      expect((await answer.json()).details).toMatchObject([{ path: 'redact_source' }]);
    }
  });
});

describe('a server that is killed during a redaction that deletes the source', () => {
  beforeAll(async () => {
    await server.client.call('patchSettings', { body: { 'limits.requestsPerMinute': 0 } });
    const { data } = await server.client.call('listFiles', {});
    for (const { key } of data.files) await server.client.call('deleteFile', { params: { fileKey: key } });
    // The tests before keep some with the same sound.
    await until(() => filesHolding(server.dataDir, SOUND).length === 0);
  });

  const killWhen = async (query: string, act: () => Promise<unknown>): Promise<void> => {
    const database = join(server.dataDir, 'earshot.db');
    await killOnCommit({ pid: server.pid, database, query, patienceMs: PATIENCE_MS }, act);
    await server.kill();
    server = await startServer({ dataDir: server.dataDir, model: 'starter-parakeet' });
  };

  const ended = (id: string): Promise<Transcription> =>
    until(async () => {
      const t = await server.client.call('getTranscript', { params: { id } });
      return t.status === 'processing' ? undefined : t;
    });

  it.each([['when it is completed', `status = 'completed'`]])(
    '%s: neither the file nor its bytes outlive the job',
    async (_when, condition) => {
      const key = await upload();
      let id = '';
      await server.client.call('pauseQueue');
      ({ id } = await transcribe(key, { ...redaction, wait_until_complete: false }));
      await killWhen(`SELECT count(*) FROM transcripts WHERE id = '${id}' AND ${condition}`, () =>
        server.client.call('resumeQueue'),
      );
      const t = await ended(id);
      expect(t).toMatchObject({ status: 'completed', redaction_report: { source: 'deleted' } });
      expect(await hasFile(key)).toBe(false);
      // The bytes go right after the job has ended.
      await until(() => filesHolding(server.dataDir, SOUND).length === 0);
    },
  );
});
