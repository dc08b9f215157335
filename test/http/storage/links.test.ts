import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreateTranscriptInput } from '../../../electron/contract/transcript.ts';
import { tinyWav } from '../../support/audio.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const TIMEOUT = 240_000;
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});
afterAll(() => discard(server));

/** Silence, whose audio is covered, kept and lost as any other. */
const upload = async (): Promise<string> => {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(tinyWav())]), 'Call.wav');
  const { data } = await server.client.call('uploadFile', { body });
  return data.file.key;
};

const links = async (key: string) =>
  (await server.client.call('fileLinks', { params: { fileKey: key } })).data;

const make = (key: string, asked: Omit<CreateTranscriptInput, 'audio_url'>) =>
  server.client.call('createTranscript', {
    body: { audio_url: `storage:${key}`, wait_until_complete: true, ...asked },
  });

const hasAudio = async (id: string): Promise<boolean> =>
  (await server.fetch(`/v1/transcript/id/${id}/audio`)).status === 200;

it(
  'foretells what the deletion of a file does to each transcript',
  async () => {
    const key = await upload();
    const none = { nothing: 0, audio_lost: 0, job_fails: 0, retry_lost: 0 };
    expect(await links(key)).toEqual({
      fileKey: key,
      total: 0,
      effects: none,
      redacted: 0,
      transcriptions: [],
    });
    const plain = await make(key, { name: 'plain' });
    const bleeped = await make(key, { name: 'bleeped', redact_pii: true });
    const silent = await make(key, { name: 'silent', redact_pii: true, redact_pii_audio: false });
    const failed = await make(key, { name: 'failed', audio_start_from: 5000 });
    await server.client.call('pauseQueue');
    const waiting = await make(key, { name: 'waiting', wait_until_complete: false });
    const link = (
      { id, name, status }: typeof plain,
      if_deleted: string,
      redacted: boolean = id === bleeped.id || id === silent.id,
    ) => ({ id, name, status, redacted, if_deleted });

    expect(await links(key)).toEqual({
      fileKey: key,
      total: 5,
      effects: { nothing: 2, audio_lost: 1, job_fails: 1, retry_lost: 1 },
      redacted: 2,
      transcriptions: [
        link(waiting, 'job_fails'),
        link(failed, 'retry_lost'),
        link(silent, 'nothing'),
        link(bleeped, 'nothing'),
        link(plain, 'audio_lost'),
      ],
    });
    const ids = [plain.id, bleeped.id, silent.id];
    expect(await Promise.all(ids.map(hasAudio))).toEqual([true, true, true]);

    await server.client.call('deleteFile', { params: { fileKey: key } });
    expect(await Promise.all(ids.map(hasAudio))).toEqual([false, true, true]);
    await server.client.call('resumeQueue');
    await server.client.call('retryTranscript', { params: { id: failed.id } });
    for (const { id } of [waiting, failed]) {
      const ended = await until(async () => {
        const t = await server.client.call('getTranscript', { params: { id } });
        return t.status !== 'processing' && t;
      });
      expect(ended).toMatchObject({ status: 'failed', error: { code: 'file_not_found' } });
    }
  },
  TIMEOUT,
);

it('answers 404 for a file that is not there', async () => {
  await expect(links('/usr_none/none.wav')).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
});
