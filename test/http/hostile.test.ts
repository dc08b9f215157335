import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { fixture, fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, SYNTHETIC, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import * as urls from '../support/url-server.ts';

let server: TestServer;
let guarded: TestServer;
let remote: urls.UrlServer;

beforeAll(async () => {
  [server, guarded, remote] = await Promise.all([
    startServer({ quick: true }),
    startServer({ args: [...SYNTHETIC] }),
    urls.startUrlServer(),
  ]);
  await server.client.call('patchSettings', {
    body: { 'network.maxDownloadBytes': 5_000_000 },
  });
});
afterAll(async () => {
  await Promise.all([discard(server), discard(guarded), remote.close()]);
});

const create = (body: unknown, to = server): Promise<Response> =>
  to.fetch('/v1/transcript', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const failure = async (
  audio_url: string,
  extra: object = {},
  to = server,
): Promise<Transcription['error']> => {
  const response = await create({ audio_url, wait_until_complete: true, ...extra }, to);
  expect(response.status).toBe(200);
  const transcript: Transcription = await response.json();
  expect(transcript.status).toBe('failed');
  expect(transcript.error?.message).toMatch(/^\S+ \S+ .*\S$/s);
  return transcript.error;
};

const video = async (): Promise<Buffer> => {
  const folder = temporaryFolder();
  const path = join(folder, 'silent.mp4');
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'color=c=red:s=64x64:d=2',
    '-pix_fmt',
    'yuv420p',
    path,
  ]);
  const bytes = readFileSync(path);
  return bytes;
};

describe('a source that is not a recording fails with a specific error', () => {
  it.each<[string, string, urls.Behavior]>([
    ['an address with nothing behind it', 'download_failed', urls.status(404)],
    ['a web page', 'not_media', urls.htmlPage],
    ['an empty file', 'not_media', urls.file(Buffer.alloc(0))],
    ['text that is named .mp3', 'not_media', urls.file(Buffer.from('This is no music.\n'.repeat(50)))],
    ['a stream without an end', 'download_too_large', urls.endless()],
    ['something that does not speak HTTP', 'download_failed', urls.garbage],
  ])('%s: %s', async (what, code, behaviour) => {
    const url = remote.set(`/${what.replaceAll(/\W+/g, '-')}.mp3`, behaviour);
    expect(await failure(url)).toMatchObject({ code });
  });

  it.each([
    ['stalls', 1000],
    ['never answers', 0],
  ])('a server that %s: download_timeout', async (_, after) => {
    const url = remote.set('/stalled.mp3', urls.stall(fixture('01-short-note.wav'), after));
    const limit = (seconds: number | null) =>
      server.client.call('patchSettings', { body: { 'network.stallSeconds': seconds } });
    await limit(2);
    expect(await failure(url)).toMatchObject({ code: 'download_timeout' });
    await limit(null);
  });

  it('a video without sound: no_audio_track', async () => {
    expect(await failure(remote.set('/silent.mp4', urls.file(await video())))).toMatchObject({
      code: 'no_audio_track',
    });
  });

  it('a redirect loop: download_failed', async () => {
    remote.set('/loop', urls.redirect('/loop'));
    expect(await failure(remote.url('/loop'))).toMatchObject({ code: 'download_failed' });
  });

  it('a host that does not resolve: download_failed', async () => {
    expect(await failure('http://no-such-host.invalid/a.mp3')).toMatchObject({ code: 'download_failed' });
  });

  it('a range past the end: empty_range', async () => {
    const url = remote.set('/short.wav', urls.file(fixture('01-short-note.wav')));
    expect(await failure(url, { audio_start_from: 100 })).toMatchObject({ code: 'empty_range' });
  });

  it('a playlist that names a file of this machine reads nothing of it', async () => {
    const list = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://${fixturePath('01-short-note.wav')}\n#EXT-X-ENDLIST\n`;
    expect(await failure(remote.set('/list.mp3', urls.file(Buffer.from(list))))).toMatchObject({
      code: 'not_media',
    });
  });

  it('a truncated recording is transcribed up to its end', async () => {
    const whole = fixture('08-meeting-4min.mp3');
    const url = remote.set('/cut.mp3', urls.file(whole.subarray(0, Math.floor(whole.length / 12))));
    const response = await create({ audio_url: url, model: 'starter-parakeet', wait_until_complete: true });
    const transcript: Transcription = await response.json();
    expect(transcript.status).toBe('completed');
    expect(transcript.duration).toBeGreaterThan(15);
    expect(transcript.duration).toBeLessThan(23);
    expect(transcript.text.length).toBeGreaterThan(100);
  });
});

describe('URLs of this machine and its network', () => {
  it.each([
    'http://127.0.0.1:1/a.mp3',
    'http://localhost:1/a.mp3',
    'http://[::1]:1/a.mp3',
    'http://[::ffff:7f00:1]:1/a.mp3',
    'http://2130706433:1/a.mp3',
    'http://0x7f.1:1/a.mp3',
    'http://10.1.2.3/a.mp3',
    'http://192.168.1.1/a.mp3',
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/a.mp3',
  ])('are refused: %s', async (url) => {
    const error = await failure(url, {}, guarded);
    expect(error).toMatchObject({ code: 'address_not_allowed' });
    expect(error?.message).toContain('allow');
  });
});

describe('an invalid request is refused before a job is created', () => {
  it.each<[string, object, string]>([
    ['another scheme', { audio_url: 'file:///etc/passwd' }, 'audio_url'],
    ['no URL', { audio_url: 'hello' }, 'audio_url'],
    ['no audio_url', {}, 'audio_url'],
    [
      'a zero-second range',
      { audio_url: 'http://a.example/a', audio_start_from: 5, audio_end_at: 5 },
      'audio_end_at',
    ],
    [
      'an end before the start',
      { audio_url: 'http://a.example/a', audio_start_from: 5, audio_end_at: 2 },
      'audio_end_at',
    ],
    ['a negative start', { audio_url: 'http://a.example/a', audio_start_from: -1 }, 'audio_start_from'],
    ['an unknown language', { audio_url: 'http://a.example/a', language: 'xx' }, 'language'],
    ['an unknown model', { audio_url: 'http://a.example/a', model: 'gigantic' }, 'model'],
    [
      'nano in another language than English',
      { audio_url: 'http://a.example/a', model: 'nano', language: 'de' },
      'language',
    ],
    ['an unknown field', { audio_url: 'http://a.example/a', langauge: 'en' }, 'langauge'],
    [
      'an unknown policy',
      { audio_url: 'http://a.example/a', redact_pii: true, redact_pii_policies: ['shoe_size'] },
      'redact_pii_policies.0',
    ],
    [
      'a secret without its webhook',
      { audio_url: 'http://a.example/a', webhook_secret: 'x' },
      'webhook_secret',
    ],
  ])('%s', async (_, body, path) => {
    const response = await create(body);
    expect(response.status).toBe(400);
    const answer = await response.json();
    expect(answer).toMatchObject({ success: false, code: 'invalid_request' });
    expect(answer.details[0].path).toBe(path);
    expect(answer.request_id).toBe(response.headers.get('x-request-id'));
  });

  it('the wrong type in every field', async () => {
    const fields = [
      'audio_url',
      'model',
      'language',
      'timestamp_style',
      'diarize',
      'audio_start_from',
      'audio_end_at',
      'content_safety',
      'entity_detection',
      'entity_types',
      'topics',
      'summarization',
      'summary_language',
      'summary_type',
      'redact_pii',
      'redact_pii_policies',
      'redact_pii_sub',
      'redact_pii_audio',
      'wait_until_complete',
      'name',
      'webhook_url',
      'webhook_secret',
    ];
    for (const field of fields) {
      // Null means not given, which only the recording must be.
      const none = field === 'audio_url' ? [null] : [];
      for (const value of [{ a: 1 }, ...none, field === 'diarize' ? 'yes' : [[1]]]) {
        const response = await create({ audio_url: 'http://a.example/a.mp3', [field]: value });
        expect([field, response.status]).toEqual([field, 400]);
        const answer = await response.json();
        expect(answer.details.some((detail: { path: string }) => detail.path.startsWith(field))).toBe(true);
      }
    }
  });

  it('a body that is not JSON, or of 20 MB, or of another type', async () => {
    expect((await create('{"audio_url":')).status).toBe(400);
    const large = await create(JSON.stringify({ audio_url: 'x'.repeat(20_000_000) })).catch(() => undefined);
    // The server closes the connection after its answer: a client may see either.
    if (large !== undefined)
      expect([large.status, (await large.json()).code]).toEqual([413, 'request_too_large']);
    const form = await server.fetch('/v1/transcript', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'hi',
    });
    expect([form.status, (await form.json()).code]).toEqual([415, 'unsupported_media_type']);
    const { data } = await server.client.call('createUser', { body: { name: 'second' } });
    for (const body of ['null', '{}']) {
      const nothing = await server.fetch(`/v1/users/${data.user.id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect([nothing.status, (await nothing.json()).code]).toEqual([400, 'invalid_request']);
    }
  });

  it('bytes that are not HTTP', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write('Good morning.\r\n\r\n'));
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const answer = Buffer.concat(chunks).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\nEarshot-Version: \d/);
    expect(answer).toContain('"code":"invalid_request"');
  });

  it('bad values in queries', async () => {
    for (const query of [
      'page=0',
      'limit=101',
      'limit=x',
      'status=done',
      'sort=name',
      'order=up',
      'language=xx',
      'foo=1',
    ]) {
      const response = await server.fetch(`/v1/transcript/user?${query}`);
      expect([query, response.status]).toEqual([query, 400]);
    }
    expect((await server.fetch('/v1/transcript/recent?limit=0')).status).toBe(400);
    for (const name of ['__proto__', 'constructor', 'toString', 'foo'])
      expect([name, (await server.fetch(`/v1/storage/files?${name}=1`)).status]).toEqual([name, 400]);
  });
});

it('the server still works afterwards', async () => {
  const url = remote.set('/good.wav', urls.file(fixture(ONE_SENTENCE)));
  const response = await create({ audio_url: url, wait_until_complete: true });
  expect(await response.json()).toMatchObject({ status: 'completed' });
  expect(await server.log()).not.toMatch(/unexpected reason|failed unexpectedly/);
});
