import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXPORT_FORMATS } from '../../../electron/contract/exports.ts';
import type { CreateTranscriptInput, Transcription } from '../../../electron/contract/transcript.ts';
import { wav } from '../../support/audio.ts';
import { killOnCommit } from '../../support/kill-on-commit.ts';
import { noisyWav } from '../../support/noisy.ts';
import { secretsIn } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

const HEADER_BYTES = 44;
const NOISE = { snrDb: 5, seed: 1 };
const PATIENCE_MS = 600_000;

vi.setConfig({ testTimeout: PATIENCE_MS });

const FIRST = 'starter-parakeet';
const SECOND = 'starter';

type Request = Partial<Omit<CreateTranscriptInput, 'audio_url'>>;

let server: TestServer;
let remote: UrlServer;

/** A recording from `start` to `end` in noise, in which the models mishear words. */
const noisy = (name: string, end: number, start = 0): string => {
  const { buffer, byteOffset } = noisyWav(name, NOISE.snrDb, NOISE.seed, end);
  const samples = new Int16Array(buffer.slice(byteOffset + HEADER_BYTES)).subarray(start * 16_000);
  return remote.set(`/${name}.wav`, file(wav(samples)));
};

const create = async (audio_url: string, request: Request) =>
  server.client.call('createTranscript', {
    body: {
      audio_url,
      model: FIRST,
      verify_with: SECOND,
      language: 'en',
      timestamp_style: 'word',
      wait_until_complete: true,
      ...request,
    },
  });

const TALK_SECONDS = 14;
const noisyTalk = (): string => noisy('02-two-speakers.mp3', TALK_SECONDS);

/** One hearing that several tests look at. */
let talk: Promise<Transcription> | undefined;
const hearTalk = (): Promise<Transcription> => (talk ??= create(noisyTalk(), { diarize: true }));

const wordsOf = ({ segments }: Pick<Transcription, 'segments'>) =>
  segments.flatMap(({ words = [] }) => words);
const differing = (transcript: Pick<Transcription, 'segments'>) =>
  wordsOf(transcript).filter(({ alternatives }) => alternatives !== undefined);

const finished = (id: string): Promise<Transcription> =>
  until(async () => {
    const transcript = await server.client.call('getTranscript', { params: { id } });
    return transcript.status === 'processing' ? undefined : transcript;
  }, PATIENCE_MS);

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

describe('hearing twice', () => {
  it('leaves the text as the first model heard it, and marks where the second heard something else', async () => {
    const once = await create(noisyTalk(), { verify_with: undefined });
    const twice = await hearTalk();
    expect(twice.status).toBe('completed');
    expect(twice.text).toBe(once.text);
    expect(differing(once)).toEqual([]);
    expect(differing(twice).length).toBeGreaterThan(3);
    for (const { alternatives } of differing(twice)) expect(alternatives).toMatchObject([{ model: SECOND }]);
    const before = wordsOf(once);
    for (const [index, word] of wordsOf(twice).entries()) {
      const own = before[index]?.confidence ?? 1;
      if (word.alternatives === undefined) expect(word.confidence).toBeGreaterThanOrEqual(own);
      else expect(word.confidence).toBe(own);
      expect(word.speaker_id).toMatch(/^[A-Z]$/);
    }
  });

  it('is in no export', async () => {
    const { id, ...twice } = await hearTalk();
    expect(differing(twice).length).toBeGreaterThan(0);
    for (const format of EXPORT_FORMATS) {
      const response = await server.fetch(`/v1/transcript/id/${id}/export?format=${format}&words=true`);
      expect(await response.text()).not.toMatch(/alternatives/);
    }
  });

  it('drops the other readings of words that a person changes', async () => {
    const { id, ...twice } = await hearTalk();
    const segment = twice.segments.find(({ words = [] }) => words.some((word) => word.alternatives));
    const at = segment?.words?.findIndex((word) => word.alternatives !== undefined) ?? -1;
    const text = (segment?.words ?? [])
      .map((word, index) => (index === at ? 'rewritten' : word.word))
      .join(' ');
    const body = { segments: [{ id: segment?.id ?? 0, text }] };
    const edited = await server.client.call('patchTranscript', { params: { id }, body });
    const word = edited.segments[segment?.id ?? 0]?.words?.[at];
    expect(word).toMatchObject({ word: 'rewritten', confidence: 1 });
    expect(word?.alternatives).toBeUndefined();
    expect(differing(edited).length).toBeLessThan(differing(twice).length);
  });

  it('leaves no private word in another reading', async () => {
    // The e-mail address, which contains the name, and the number of the card.
    const url = noisy('04-personal-data.m4a', 21, 9.6);
    const secrets = ['lopez', '4111', 'example.com'];
    const plain = await create(url, {});
    expect(differing(plain).length).toBeGreaterThan(0);
    expect(secretsIn(JSON.stringify(plain), secrets)).not.toEqual([]);
    const redacted = await create(url, { redact_pii: true });
    expect(redacted.status).toBe('completed');
    const again = await server.client.call('analyzeTranscript', {
      params: { id: plain.id },
      body: { redact_pii: true, wait_until_complete: true },
    });
    for (const { id } of [redacted, again]) {
      const transcript = await server.client.call('getTranscript', { params: { id } });
      expect(secretsIn(JSON.stringify(transcript), secrets)).toEqual([]);
    }
  });

  it('goes on after SIGKILL with the same result', async () => {
    const url = noisy('08-meeting-4min.mp3', 45);
    const whole = await create(url, {});
    let id = '';
    const query = `SELECT count(*) FROM transcripts WHERE status = 'processing' AND checkpoint LIKE '%"verified":{%'`;
    const database = join(server.dataDir, 'earshot.db');
    await killOnCommit({ pid: server.pid, database, query, patienceMs: PATIENCE_MS }, async () => {
      ({ id } = await create(url, { wait_until_complete: false }));
    });
    await server.kill();
    server = await startServer({ dataDir: server.dataDir });
    const resumed = await finished(id);
    expect(resumed.status).toBe('completed');
    expect(resumed.segments).toEqual(whole.segments);
    expect(differing(resumed).length).toBeGreaterThan(3);
  });

  it.each([
    [{ verify_with: FIRST }, /verify_with: starter-parakeet is the model that transcribes/],
    [{ verify_with: 'nonsense' }, /verify_with: there is no model called nonsense/],
    [{ verify_with: 'parakeet-tdt-0.6b-v3' }, /not installed. Install it with: earshot models install/],
    [
      { model: SECOND, verify_with: FIRST, language: 'de' },
      /verify_with: the model starter-parakeet is Engl/,
    ],
    [{ model: SECOND, verify_with: 'medium', translate: true }, /does not go with translate/],
  ] as const)('refuses %j with the reason', async (request, reason) => {
    await expect(
      create(noisy('01-short-note.wav', 5), request).catch((error: unknown) => {
        throw new Error(
          JSON.stringify(error instanceof Error ? { ...error, message: error.message } : error),
        );
      }),
    ).rejects.toThrow(reason);
  });
});
