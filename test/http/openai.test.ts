import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI, { APIError, AuthenticationError, BadRequestError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OpenAiDiarized } from '../../electron/contract/openai.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { parseSrt } from '../support/srt.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { parseWebVtt } from '../support/webvtt.ts';

/** The beginning of a recording, since each call recognizes it again. */
const sample = (name = '01-short-note.wav') => createReadStream(join(clips, name));

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000 });

let clips = '';

const run = promisify(execFile);

let server: TestServer;
let openai: OpenAI;

beforeAll(async () => {
  clips = temporaryFolder();
  for (const name of ['01-short-note.wav', '02-two-speakers.mp3', '06-german.webm']) {
    await run('ffmpeg', [
      '-v',
      'error',
      '-i',
      fixturePath(name),
      '-t',
      '6.7',
      '-map',
      '0:a',
      join(clips, name),
    ]);
  }
  await copyFile(fixturePath('08-meeting-4min.mp3'), join(clips, '08-meeting-4min.mp3'));
  server = await startServer({ quick: true });
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 });
});
afterAll(async () => {
  await discard(server);
});

const storedFiles = async () => {
  const folder = join(server.dataDir, 'objects');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // The store's marker lies beside the objects.
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.json'));
};

const DIARIZED = { response_format: 'diarized_json' };

/** A part of a conversation as a `data:` URL; seconds. */
const voiceSample = async (start: string, length: string): Promise<string> => {
  const path = join(clips, `voice-${start}.wav`);
  await run('ffmpeg', [
    '-v',
    'error',
    '-ss',
    start,
    '-t',
    length,
    '-i',
    fixturePath('02-two-speakers.mp3'),
    path,
  ]);
  return `data:audio/wav;base64,${(await readFile(path)).toString('base64')}`;
};

const failure = async (call: Promise<unknown>): Promise<APIError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof APIError)) throw new Error('the call did not fail as the API fails');
  return error;
};

describe('the openai client with another base URL and key', () => {
  it('transcribes to JSON', async () => {
    const answer = await openai.audio.transcriptions.create({ file: sample(), model: 'whisper-1' });
    expect(answer.text.split(' ').length).toBeGreaterThan(5);
    expect(answer.usage).toEqual({ type: 'duration', seconds: expect.any(Number) });
  });

  it('uses the end of a prompt that is too long', async () => {
    const prompt = 'Northwind and 会社 '.repeat(200);
    const answer = await openai.audio.transcriptions.create({ file: sample(), model: 'whisper-1', prompt });
    expect(answer.text.split(' ').length).toBeGreaterThan(5);
  });

  it('transcribes to text, SRT and WebVTT', async () => {
    const call = (response_format: 'text' | 'srt' | 'vtt') =>
      openai.audio.transcriptions.create({
        file: sample(),
        model: 'whisper-1',
        language: 'en',
        response_format,
      });
    const text = await call('text');
    const srt = parseSrt(await call('srt'));
    const vtt = parseWebVtt(await call('vtt'));
    expect(srt.map((cue) => cue.lines.join(' ')).join(' ')).toBe(text.trim());
    expect(vtt.cues.map((cue) => cue.text.replaceAll('\n', ' ')).join(' ')).toBe(text.trim());
  });

  it('transcribes to verbose JSON with segments and words', async () => {
    const answer = await openai.audio.transcriptions.create({
      file: sample(),
      model: 'whisper-1',
      language: 'en',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      temperature: 0,
      prompt: 'Earshot, Northwind',
    });
    expect(answer.language).toBe('english');
    expect(answer.duration).toBeGreaterThan(6);
    expect(answer.segments?.map((segment) => segment.text.trim()).join(' ')).toBe(answer.text);
    expect(answer.words?.map((word) => word.word).join(' ')).toBe(answer.text);
    for (const segment of answer.segments ?? []) {
      expect(segment.avg_logprob).toBeLessThanOrEqual(0);
      expect(segment.end).toBeGreaterThanOrEqual(segment.start);
    }
    const words = await openai.audio.transcriptions.create({
      file: sample(),
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    expect(words.segments).toBeUndefined();
    expect(words.words?.length).toBeGreaterThan(5);
  });

  it('streams the text while it is recognized', async () => {
    const stream = await openai.audio.transcriptions.create({
      file: sample('02-two-speakers.mp3'),
      model: 'whisper-1',
      language: 'en',
      stream: true,
    });
    let text = '';
    let done = '';
    let deltas = 0;
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') {
        text += event.delta;
        deltas++;
      }
      if (event.type === 'transcript.text.done') done = event.text;
    }
    expect(deltas).toBeGreaterThan(0);
    expect(done.length).toBeGreaterThan(10);
    expect(text).toBe(done);
  });

  it('knows the current models, with the log probability of each word', async () => {
    const answer = await openai.audio.transcriptions.create({
      file: sample(),
      model: 'gpt-4o-mini-transcribe-2025-12-15',
      include: ['logprobs'],
      chunking_strategy: { type: 'server_vad', silence_duration_ms: 300, threshold: 0.4 },
    });
    const tokens = answer.logprobs?.map(({ token }) => token).join('');
    expect(tokens).toBe(answer.text);
    for (const { token, bytes, logprob } of answer.logprobs ?? []) {
      expect(Buffer.from(bytes ?? []).toString()).toBe(token);
      expect(logprob).toBeLessThanOrEqual(0);
      expect(logprob).toBeGreaterThan(-14);
    }
    expect(answer).not.toHaveProperty('languages');
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.transcriptions[0]?.model).toBe('mini');
  });

  it('chooses among given languages, and takes keywords', async () => {
    const answer = await openai.audio.transcriptions.create({
      file: sample(),
      model: 'gpt-transcribe',
      languages: ['de', 'fr'],
      keywords: ['Northwind', 'Earshot'],
      chunking_strategy: 'auto',
    });
    expect(['de', 'fr']).toContain(answer.languages?.[0]?.code);
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.transcriptions[0]).toMatchObject({ model: 'pro', language: answer.languages?.[0]?.code });
  });

  it('streams log probabilities and segments with their speakers', async () => {
    const stream = await openai.audio.transcriptions.create({
      file: sample('02-two-speakers.mp3'),
      model: 'gpt-4o-transcribe-diarize',
      language: 'en',
      response_format: 'diarized_json',
      stream: true,
    });
    const types: string[] = [];
    const spoken: string[] = [];
    let done = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'transcript.text.segment') {
        expect(event.speaker).toMatch(/^[A-Z]$/);
        expect(event.end).toBeGreaterThan(event.start);
        spoken.push(event.text);
      }
      if (event.type === 'transcript.text.done') done = event.text;
    }
    expect([types[0], types.at(-2), types.at(-1)]).toEqual([
      'transcript.text.delta',
      'transcript.text.segment',
      'transcript.text.done',
    ]);
    expect(spoken.join(' ')).toBe(done);
    const plain = await openai.audio.transcriptions.create({
      file: sample(),
      model: 'gpt-4o-transcribe',
      language: 'en',
      include: ['logprobs'],
      stream: true,
    });
    let tokens = '';
    for await (const event of plain) {
      if (event.type === 'transcript.text.segment') throw new Error('segments were not asked for');
      const joined = event.logprobs?.map(({ token }) => token).join('');
      if (event.type === 'transcript.text.delta') tokens += joined;
      else expect([joined, tokens]).toEqual([event.text, event.text]);
    }
  });

  it('names the speakers of given samples, and those who introduce themselves', async () => {
    // From what each of them says later.
    const [first, second] = await Promise.all([voiceSample('20.3', '3'), voiceSample('28.9', '2.7')]);
    const talk = join(clips, 'talk.flac');
    await run('ffmpeg', ['-v', 'error', '-i', fixturePath('02-two-speakers.mp3'), '-t', '16', talk]);
    const call = (names: string[], references?: string[]) =>
      openai.audio.transcriptions.create({
        file: createReadStream(talk),
        model: 'gpt-4o-transcribe-diarize',
        language: 'en',
        response_format: 'diarized_json',
        known_speaker_names: names,
        ...(references === undefined ? {} : { known_speaker_references: references }),
      });
    // The client's type of a diarized answer is that of the plain one.
    const speakersOf = async (answer: ReturnType<typeof call>) => {
      const { segments } = OpenAiDiarized.parse(await answer);
      return segments.map(({ speaker }) => speaker);
    };
    expect(new Set(await speakersOf(call(['customer', 'agent'], [second, first])))).toEqual(
      new Set(['agent', 'customer']),
    );
    expect((await speakersOf(call(['agent'], [first])))[0]).toBe('agent');
    expect(new Set(await speakersOf(call(['Peter Walker'])))).toEqual(new Set(['A', 'Peter Walker']));
    expect(await storedFiles()).toEqual([]);
  });

  it('translates into English', async () => {
    const answer = await openai.audio.translations.create({
      file: sample('06-german.webm'),
      model: 'whisper-1',
      response_format: 'verbose_json',
    });
    // The client's type of a translation has only the plain format.
    expect(answer).toMatchObject({ task: 'translate', language: 'english', duration: expect.any(Number) });
  });

  it('accepts files from memory, with a name or a type', async () => {
    const bytes = await toFile(sample(), 'note.wav');
    const named = await openai.audio.transcriptions.create({ file: bytes, model: 'mini' });
    const typed = await openai.audio.transcriptions.create({
      file: new File([await bytes.arrayBuffer()], 'blob', { type: 'audio/wav' }),
      model: 'mini',
    });
    expect(typed.text).toBe(named.text);
  });

  it('lists the models', async () => {
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toContain('starter');
  });

  it('leaves the transcription in the library, but no file', async () => {
    expect(await storedFiles()).toEqual([]);
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.pagination.total).toBeGreaterThan(5);
    expect(data.transcriptions[0]?.status).toBe('completed');
  });
});

describe('errors in OpenAI’s form', () => {
  it('a wrong key', async () => {
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-wrong', maxRetries: 0 });
    const error = await failure(stranger.audio.transcriptions.create({ file: sample(), model: 'whisper-1' }));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });
  });

  it.each([
    ['an unknown model', { model: 'whisper-99' }, 'model'],
    ['an unknown language', { model: 'whisper-1', language: 'xx' }, 'language'],
    ['an unknown format', { model: 'whisper-1', response_format: 'docx' }, 'response_format'],
    ['an unknown field', { model: 'whisper-1', colour: 'blue' }, 'colour'],
    ['a temperature out of range', { model: 'whisper-1', temperature: 7 }, 'temperature'],
    ['log probabilities of subtitles', { include: ['logprobs'], response_format: 'srt' }, 'include'],
    ['an unknown inclusion', { include: ['tokens'] }, 'include.0'],
    ['an unknown way to cut', { chunking_strategy: { type: 'mine' } }, 'chunking_strategy'],
    ['names without speakers', { known_speaker_names: ['Ana'] }, 'known_speaker_names'],
    [
      'fewer samples than names',
      { ...DIARIZED, known_speaker_names: ['Ana', 'Bo'], known_speaker_references: ['data:,'] },
      'known_speaker_references',
    ],
    [
      'a sample that is no data: URL',
      { ...DIARIZED, known_speaker_names: ['Ana'], known_speaker_references: ['https://example.com/a.wav'] },
      'known_speaker_references.0',
    ],
    [
      'a sample that is no recording',
      {
        ...DIARIZED,
        known_speaker_names: ['Ana'],
        known_speaker_references: ['data:audio/wav;base64,bm9uZQ=='],
      },
      'known_speaker_references.0',
    ],
    [
      'five known speakers',
      { ...DIARIZED, known_speaker_names: ['A', 'B', 'C', 'D', 'E'] },
      'known_speaker_names',
    ],
    ['a list where an object belongs', { chunking_strategy: ['auto'] }, 'chunking_strategy'],
    ['an unknown language among several', { languages: ['en', 'xx'] }, 'languages.1'],
  ])('%s', async (_, body, param) => {
    // Send what the client's types forbid.
    const call = openai.audio.transcriptions.create({ file: sample(), model: 'whisper-1', ...body } as {
      file: never;
      model: string;
    });
    const error = await failure(call);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param });
    expect(await storedFiles()).toEqual([]);
  });

  it.each([
    ['text', 'note.wav', Buffer.from('not audio at all')],
    ['nothing', 'note.wav', Buffer.alloc(0)],
    ['a web page', 'note.mp3', Buffer.from('<!doctype html><title>x</title>')],
    [
      'a picture',
      'x.png',
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    ],
    ['a document', 'x.pdf', Buffer.from('%PDF-1.4\n%%EOF\n')],
    ['an archive', 'x.zip', Buffer.from('504b0506000000000000000000000000000000000000', 'hex')],
    ['a program', 'x.mp3', Buffer.from('7f454c4602010100', 'hex')],
  ])('a file of %s', async (_, name, bytes) => {
    const file = await toFile(bytes, name);
    const error = await failure(openai.audio.transcriptions.create({ file, model: 'whisper-1' }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ status: 400, param: 'file' });
    expect(error.message).toMatch(/\w+ \w+/);
    expect(await storedFiles()).toEqual([]);
  });

  it('a form without a file, and a body that is not a form', async () => {
    const form = new FormData();
    form.set('model', 'whisper-1');
    const missing = await server.fetch('/v1/audio/transcriptions', { method: 'POST', body: form });
    expect(missing.status).toBe(400);
    expect(await missing.json()).toMatchObject({ error: { param: 'file', type: 'invalid_request_error' } });
    const json = await server.fetch('/v1/audio/transcriptions', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(415);
    expect(await json.json()).toMatchObject({ error: { code: 'unsupported_media_type' } });
  });
});

describe('a client', () => {
  it('that disconnects cancels its job and leaves no file', async () => {
    const controller = new AbortController();
    const call = openai.audio.transcriptions.create(
      { file: sample('08-meeting-4min.mp3'), model: 'whisper-1' },
      { signal: controller.signal },
    );
    const gone = expect(call).rejects.toThrow(/abort/i);
    const running = async () => {
      const { data } = await server.client.call('getQueue');
      return data.running.length + data.waiting.length;
    };
    while ((await running()) === 0) await new Promise((next) => setTimeout(next, 50));
    controller.abort();
    await gone;
    while ((await running()) > 0 || (await storedFiles()).length > 0)
      await new Promise((next) => setTimeout(next, 50));
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.transcriptions[0]).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
  });

  it('cannot use a language that the model does not know', async () => {
    const asked = { file: sample(), model: 'whisper-1', language: 'yue' };
    expect(await failure(openai.audio.transcriptions.create(asked))).toMatchObject({
      status: 400,
      param: 'language',
    });
  });

  it('cannot use another language with an English model', async () => {
    const asked = { file: sample(), model: 'nano', language: 'de' };
    expect(await failure(openai.audio.transcriptions.create(asked))).toMatchObject({
      status: 400,
      param: 'language',
    });
    expect(await storedFiles()).toEqual([]);
  });

  it('cannot translate with a model that is unable to', async () => {
    const error = await failure(openai.audio.translations.create({ file: sample(), model: 'nano' }));
    expect(error).toMatchObject({ status: 400, param: 'translate' });
  });
});
