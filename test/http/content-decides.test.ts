import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AssemblyAI } from 'assemblyai';
import OpenAI, { BadRequestError } from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixture, fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { filePcm } from '../support/pcm.ts';
import { discard, spawnEarshot, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000 });

const WAV = fixture(ONE_SENTENCE);
const TEXT = Buffer.from('Plain text, no recording.\n'.repeat(20));

let server: TestServer;
let openai: OpenAI;
const folder = temporaryFolder();

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
  await server.client.call('patchSettings', { body: { 'limits.uploadsPer15Minutes': 0 } });
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 });
});
afterAll(() => discard(server));

const uploadForm = (name: string, bytes: Buffer, type: string, purpose?: string) => {
  const form = new FormData();
  if (purpose !== undefined) form.append('purpose', purpose);
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), name);
  return server.client.call('uploadFile', { body: form });
};

const transcribed = async (audio_url: string): Promise<string> => {
  const body = { audio_url, language: 'en', wait_until_complete: true };
  const { status, text: said } = await server.client.call('createTranscript', { body });
  expect(status).toBe('completed');
  return said;
};

/** The sample in another format, made by ffmpeg. */
const encoded = async (name: string, ...options: string[]): Promise<Buffer> => {
  const path = join(folder, name);
  await ffmpeg('-i', fixturePath(ONE_SENTENCE), ...options, path);
  return readFile(path);
};

describe('a WAV under the name x.mp3 is transcribed', () => {
  it('in OpenAI’s form, also under names and types of anything else', async () => {
    const names = [
      ['x.mp3', 'audio/mpeg'],
      ['x', 'image/png'],
    ] as const;
    for (const [name, type] of names) {
      const file = new File([new Uint8Array(WAV)], name, { type });
      const answer = await openai.audio.transcriptions.create({ file, model: 'whisper-1', language: 'en' });
      expect(answer.text).not.toBe('');
    }
  });

  it('in AssemblyAI’s form, which sends no name', async () => {
    const client = new AssemblyAI({ apiKey: server.key, baseUrl: server.url });
    expect(await client.files.upload(WAV)).toMatch(/\.wav$/);
    // Cut out of the middle of a frame: no signature at the start.
    const middle = (await encoded('whole.mp3')).subarray(700);
    expect(await client.files.upload(middle)).toMatch(/\.mp3$/);
    expect(await client.files.upload(await encoded('video.mp4', '-c:a', 'aac'))).toMatch(/\.mp4$/);
    expect(await client.files.upload(await encoded('sound.aiff'))).toMatch(/\.aif?f$/);
  });

  it('after an upload for transcription', async () => {
    const { data } = await uploadForm('x.mp3', WAV, 'audio/mpeg', 'transcription');
    expect(data.file).toMatchObject({ original_name: 'x.mp3', mime_type: 'audio/wav' });
    expect(data.file.key).toMatch(/\.wav$/);
  });

  it('after an upload to a presigned address for transcription', async () => {
    const body = { filename: 'x.mp3', contentType: 'audio/mpeg', purpose: 'transcription' as const };
    const { data } = await server.client.call('presignUpload', { body });
    const put = await fetch(data.uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': 'audio/mpeg' },
      body: new Uint8Array(WAV),
    });
    expect(await put.json()).toMatchObject({ success: true });
    expect(await transcribed(`storage:${data.fileKey}`)).not.toBe('');
  });

  it('by the command line', async () => {
    const path = join(folder, 'x.mp3');
    copyFileSync(fixturePath(ONE_SENTENCE), path);
    const child = await spawnEarshot(['transcribe', path, '--language', 'en'], {
      EARSHOT_DATA_DIR: server.dataDir,
      EARSHOT_API_KEY: server.key,
    });
    if (child.stdout === null) throw new Error('no output to read');
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(code).toBe(0);
    expect(said.trim()).not.toBe('');
  });
});

/** The name a file is sent under, the one ffmpeg writes it under, and how. Most have no signature that a library knows. */
const SENT: readonly (readonly [string, string, readonly string[]])[] = [
  ['call.sox', 'a.sox', []],
  ['call.tta', 'a.tta', []],
  [
    'call.dv',
    'a.dv',
    ['-f', 'lavfi', '-i', 'color=s=720x576:r=25:d=4.32', '-target', 'pal-dv', '-ar', '48000'],
  ],
  ['call.g722', 'a.g722', []],
  ['call.aptx', 'a.aptx', ['-ac', '2', '-ar', '48000']],
  ['call.sbc', 'a.sbc', ['-ac', '2', '-ar', '44100']],
  ['no name at all', 'other.sbc', ['-ar', '16000']],
];

describe('whatever ffmpeg knows', () => {
  it.each(SENT)('%s is as long as ffmpeg decodes it, after an upload', async (sent, name, options) => {
    const bytes = await encoded(name, ...options);
    const { data } = await uploadForm(sent, bytes, 'application/octet-stream', 'transcription');
    const body = { audio_url: `storage:${data.file.key}`, language: 'en', wait_until_complete: true };
    const { status, duration, text: said } = await server.client.call('createTranscript', { body });
    expect({ status, said: said !== '' }).toEqual({ status: 'completed', said: true });
    expect(Math.abs(duration - filePcm(join(folder, name)).length / 16_000)).toBeLessThan(0.02);
  });

  it('is refused with what helps where its content says nothing', async () => {
    const bytes = await encoded('b.g722');
    const refusal = await openai.audio.transcriptions
      .create({ file: new File([new Uint8Array(bytes)], 'call.bin'), model: 'whisper-1' })
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BadRequestError);
    expect(refusal).toMatchObject({ message: expect.stringContaining('such as .g722') });
  });
});

describe('what is no recording is refused', () => {
  it('in OpenAI’s form with 400', async () => {
    for (const [name, bytes] of [
      ['note.wav', TEXT],
      ['note.txt', TEXT],
      ['photo.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
      ['empty.wav', Buffer.alloc(0)],
      // A header, and nothing behind it that could be decoded.
      ['broken.wav', Buffer.concat([WAV.subarray(0, 20), Buffer.alloc(2000, 7)])],
    ] as const) {
      const file = new File([new Uint8Array(bytes)], name);
      const error = await openai.audio.transcriptions.create({ file, model: 'whisper-1' }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error, name).toBeInstanceOf(BadRequestError);
      expect(error, name).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'file' });
    }
  });

  it('by an upload for transcription with 415', async () => {
    await expect(uploadForm('note.mp3', TEXT, 'audio/mpeg', 'transcription')).rejects.toMatchObject({
      status: 415,
      code: 'unsupported_file_type',
    });
  });

  it('by the storage, whose files must be what their name says', async () => {
    await expect(uploadForm('x.mp3', WAV, 'audio/mpeg')).rejects.toMatchObject({
      status: 422,
      code: 'content_mismatch',
    });
    await expect(uploadForm('x.mp3', WAV, 'audio/mpeg', 'storage')).rejects.toMatchObject({ status: 422 });
    await expect(uploadForm('x.mp3', WAV, 'audio/mpeg', 'fun')).rejects.toMatchObject({
      status: 400,
      details: [{ path: 'purpose' }],
    });
  });
});
