import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript, type CreateTranscriptInput } from '../../electron/contract/transcript.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { insertSegments, type StoredSegment } from '../../electron/core/stores/segments.ts';
import { findTranscript, updateTranscript } from '../../electron/core/stores/transcripts.ts';
import { fixturePath } from '../support/fixtures.ts';
import { LONG_HOURS, spokenFor } from '../support/long-transcript.ts';
import { LoopPauses } from '../support/loop-pauses.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const ANALYSES = {
  entity_detection: true,
  topics: true,
  summarization: true,
  content_safety: true,
} as const;
const pauses = new LoopPauses();
const spoken = spokenFor(LONG_HOURS);
let server: TestServer;
/** Key of a stored recording. */
let stored: string;

beforeAll(async () => {
  server = await startServer({ quick: true, env: pauses.env });
  const { data } = await server.client.call('uploadFile', { body: await recording() });
  stored = data.file.key;
});
afterAll(() => discard(server));

const processing = async (): Promise<string | undefined> => {
  const { data } = await server.client.call('listTranscripts', { query: { status: 'processing' } });
  return data.transcriptions[0]?.id;
};

/** Lets a waiting job continue as if `segments` had been recognized before a restart, and half a second were left. */
const saveSegments = (id: string, segments: readonly StoredSegment[]): void => {
  const db = openDatabase(join(server.dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
  // One commit for all: thousands took longer than the rest of the file's own work.
  db.transaction(() => {
    const fileId = findTranscript(db, id)?.fileId;
    insertSegments(db, id, 0, segments);
    updateTranscript(db, id, {
      checkpoint: {
        kind: 'recognition',
        source: `stored ${fileId}`,
        streams: [{ chunk: 1, at: 14.5, crashes: {} }],
        segments: segments.length,
        language: 'en',
        languageConfidence: 1,
        model: 'starter',
      },
      modelId: 'starter',
      language: 'en',
      languageConfidence: 1,
    });
  });
  db.close();
};

/** Runs a job that `create` starts to its end, as one of `LONG_HOURS`; the loop is watched from its last half second on. */
const finish = async <T>(create: () => Promise<T>): Promise<T> => {
  await server.client.call('pauseQueue');
  const answer = create();
  saveSegments(await until(processing), spoken);
  await pauses.longest(server);
  await server.client.call('resumeQueue');
  return answer;
};

const recording = async (fields: Readonly<Record<string, string>> = {}): Promise<FormData> => {
  const form = new FormData();
  form.append('file', await openAsBlob(fixturePath('01-short-note.wav')), 'long.wav');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};

const finishJob = async (options: Partial<CreateTranscriptInput> = {}): Promise<string> => {
  const body = CreateTranscript.parse({
    audio_url: `storage:${stored}`,
    timestamp_style: 'word',
    wait_until_complete: true,
    ...options,
  });
  const { id } = await finish(() => server.client.call('createTranscript', { body }));
  return id;
};

// Some tries at hours of speech each, of minutes on a busy machine.
describe('the event loop stays free', { timeout: 1_200_000 }, () => {
  it.each<[string, Record<string, string>, number]>([
    [
      'verbose_json',
      { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' },
      500_000 * LONG_HOURS,
    ],
    ['stream', { stream: 'true' }, 50_000 * LONG_HOURS],
  ])(`while ${LONG_HOURS} hours end as an answer in OpenAI’s form: %s`, async (_what, fields, bytes) => {
    await pauses.expectFree(server, async () => {
      const body = await recording({ model: 'whisper-1', ...fields });
      const response = await finish(() => server.fetch('/v1/audio/transcriptions', { method: 'POST', body }));
      const { byteLength } = await response.arrayBuffer();
      expect([response.status, byteLength > bytes]).toEqual([200, true]);
    });
  });

  it(`while ${LONG_HOURS} hours end with speakers, analyses and redaction, and are deleted`, async () => {
    await pauses.expectFree(server, async () => {
      const id = await finishJob({ ...ANALYSES, diarize: true, redact_pii: true });
      const {
        status,
        speakers = {},
        summary,
      } = await server.client.call('getTranscript', { params: { id } });
      expect([status, Object.keys(speakers).length > 0, summary !== undefined]).toEqual([
        'completed',
        true,
        true,
      ]);
      await server.client.call('deleteTranscript', { params: { id } });
    });
  });

  it(`while the speakers of ${LONG_HOURS} hours are identified, and that is undone`, async () => {
    await pauses.expectFree(server, async () => {
      const id = await finishJob();
      await pauses.longest(server);
      const read = async () => {
        const { segments, speakers } = await server.client.call('getTranscript', { params: { id } });
        return { segments, speakers };
      };
      const turn = async (direction: 'undo' | 'redo') => {
        const { status } = await server.fetch(`/v1/transcript/id/${id}/${direction}`, { method: 'POST' });
        expect(status).toBe(200);
      };
      const before = await read();
      await server.client.call('analyzeTranscript', {
        params: { id },
        body: { diarize: true, wait_until_complete: true },
      });
      const after = await read();
      expect(after.segments.every(({ speaker_id }) => speaker_id !== null)).toBe(true);
      await turn('undo');
      // Not toEqual, which takes seconds for as many words.
      expect(isDeepStrictEqual(await read(), before)).toBe(true);
      await turn('redo');
      expect(isDeepStrictEqual(await read(), after)).toBe(true);
    });
  });
});
