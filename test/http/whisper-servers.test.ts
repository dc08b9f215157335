import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { oneSentence } from '../support/audio.ts';
import { fixture } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { parseSrt } from '../support/srt.ts';
import { parseWebVtt } from '../support/webvtt.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000 });

let server: TestServer;
const recording = Uint8Array.from(oneSentence(1));
/** The samples of a WAV file, as `ffmpeg -f s16le -ac 1 -ar 16000` writes them. */
const raw = recording.subarray(44);

beforeAll(async () => {
  server = await startServer({ quick: true });
  await allow(true);
});
afterAll(() => discard(server));

const allow = (isOn: boolean) =>
  server.client.call('patchSettings', { body: { 'network.keylessPrograms': isOn } });
const total = async () => (await server.client.call('listTranscripts')).data.pagination.total;
const files = async () => (await server.client.call('listFiles', {})).data.files.length;

/** As Python's `requests` sends `files={name: bytes}`: the name of the field is that of the file, without a type. */
const post = async (path: string, field: string, bytes: Uint8Array, fields: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(field, new Blob([Uint8Array.from(bytes)]), field);
  // Without a key.
  const response = await fetch(server.url + path, { method: 'POST', body: form });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
};

describe('a client of whisper-asr-webservice, as Bazarr is one', () => {
  it('sends raw samples and gets subtitles', async () => {
    const query = 'task=transcribe&language=en&output=srt&encode=false&video_file=%2Fmovies%2Fa.mkv';
    const { status, body } = await post(`/asr?${query}`, 'audio_file', raw);
    expect(status).toBe(200);
    const cues = parseSrt(body);
    expect(cues.length).toBeGreaterThan(0);
    const whole = await post('/asr?language=en&output=srt', 'audio_file', recording);
    expect(whole.body).toBe(body);
    // A file that calls itself raw.
    expect((await post('/asr?language=en&output=srt&encode=false', 'audio_file', recording)).body).toBe(body);
    expect(await files()).toBe(0);
  });

  it('gets the language, and leaves nothing behind', async () => {
    const before = await total();
    const { status, body } = await post('/detect-language?encode=false', 'audio_file', raw);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      detected_language: 'english',
      language_code: 'en',
      confidence: expect.any(Number),
    });
    expect([await total(), await files()]).toEqual([before, 0]);
  });

  it('gets text, WebVTT, TSV and JSON', async () => {
    const get = (output: string) => post(`/asr?language=en&output=${output}`, 'audio_file', recording);
    const said = (await get('txt')).body.trim();
    expect(said.split(' ').length).toBeGreaterThan(1);
    expect(parseWebVtt((await get('vtt')).body).cues.length).toBeGreaterThan(0);
    const [head, ...lines] = (await get('tsv')).body.trim().split('\n');
    expect(head).toBe('start\tend\ttext');
    expect(lines.map((line) => line.split('\t')[2]).join(' ')).toBe(said);
    const json = JSON.parse((await get('json&word_timestamps=true')).body);
    expect(json).toMatchObject({
      text: said,
      language: 'english',
      words: expect.any(Array),
      segments: expect.any(Array),
    });
  });

  it('gets speakers, no more and no fewer than it asks for', async () => {
    const heard = async (query: string) => {
      const bytes = Uint8Array.from(fixture('02-two-speakers.mp3'));
      const { body } = await post(`/asr?language=en&output=json&diarize=true${query}`, 'audio_file', bytes);
      const { segments } = JSON.parse(body) as { segments: { speaker: string }[] };
      return new Set(segments.map(({ speaker }) => speaker)).size;
    };
    expect(await heard('')).toBe(2);
    expect(await heard('&min_speakers=1&max_speakers=1')).toBe(1);
    expect((await post('/asr?min_speakers=3&max_speakers=2', 'audio_file', recording)).status).toBe(400);
  });

  it.each(['/asr', '/asr?output=docx', '/asr?task=sing', '/asr?language=xx', '/detect-language'])(
    'gets a reason for %s without a recording',
    async (path) => {
      const { status, body } = await post(path, 'audio_file', Uint8Array.from(Buffer.from('<html>')));
      expect(status).toBe(400);
      expect(JSON.parse(body).error).toMatch(/\w+ \w+/);
      expect((await post(path, 'file', recording)).status).toBe(400);
    },
  );
});

describe('a client of whisper.cpp’s server', () => {
  it('gets JSON, as its own example asks for it', async () => {
    const fields = { temperature: '0.0', temperature_inc: '0.2', response_format: 'json' };
    const { status, body, type } = await post('/inference', 'file', recording, fields);
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(body).text.split(' ').length).toBeGreaterThan(1);
  });

  it('gets text, subtitles and verbose JSON, whatever else it sends', async () => {
    const get = (response_format: string) =>
      post('/inference', 'file', recording, {
        response_format,
        language: 'auto',
        beam_size: '5',
        no_timestamps: 'false',
        vad: 'true',
        own_field: 'x',
      });
    const said = (await get('text')).body.trim();
    expect(
      parseSrt((await get('srt')).body)
        .map(({ lines }) => lines.join(' '))
        .join(' '),
    ).toBe(said);
    expect(parseWebVtt((await get('vtt')).body).cues.length).toBeGreaterThan(0);
    expect(JSON.parse((await get('verbose_json')).body)).toMatchObject({ text: said, task: 'transcribe' });
  });

  it('asks for the health', async () => {
    const response = await fetch(`${server.url}/health`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });
});

describe('programs without a key', () => {
  /** With headers that `fetch` does not send. */
  const status = (path: string, headers: Record<string, string>, method = 'POST'): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(server.url + path, { method, headers }, (response) => {
        text(response).then(() => resolve(response.statusCode ?? 0), reject);
      });
      asked.once('error', reject);
      asked.end();
    });

  it.each(['/inference', '/asr', '/detect-language', '/v1/audio/transcriptions', '/v1/audio/translations'])(
    'reach %s alone, and from no web page or proxy',
    async (path) => {
      // Let in, and refused for what they send.
      expect(await status(path, { 'content-type': 'multipart/form-data; boundary=x' })).toBe(400);
      expect(await status(path, { origin: 'https://example.com' })).toBe(403);
      const refused: Record<string, string>[] = [
        { origin: server.url },
        { 'sec-fetch-site': 'cross-site' },
        { 'x-forwarded-for': '203.0.113.7' },
        { authorization: 'Bearer ear_wrong' },
      ];
      for (const headers of refused) {
        expect([headers, await status(path, headers)]).toEqual([headers, 401]);
      }
      expect(await status(path, { host: 'example.com' })).toBe(421);
    },
  );

  it.each(['/v1/transcript/user', '/v1/models', '/v1/settings', '/v1/storage/files', '/v2/transcript'])(
    'cannot read %s',
    async (path) => {
      expect(await status(path, {}, 'GET')).toBe(401);
    },
  );

  it('need one while the setting is off, as it is at first', async () => {
    await server.client.call('patchSettings', { body: { 'network.keylessPrograms': null } });
    const { status: code, body } = await post('/inference', 'file', recording);
    expect(code).toBe(401);
    expect(JSON.parse(body).error).toContain('network.keylessPrograms');
    await allow(true);
  });
});
