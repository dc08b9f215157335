import OpenAI, { APIError, AuthenticationError, BadRequestError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OpenAiServer, startOpenAi } from '../support/openai.ts';
import { discard } from '../support/server.ts';
import { until } from '../support/until.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000 });

let server: OpenAiServer['server'];
let openai: OpenAI;
let sample: OpenAiServer['sample'];
let storedFiles: OpenAiServer['storedFiles'];

beforeAll(async () => {
  ({ openai, sample, server, storedFiles } = await startOpenAi());
});
afterAll(async () => {
  await discard(server);
});

const DIARIZED = { response_format: 'diarized_json' };

const failure = async (call: Promise<unknown>): Promise<APIError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof APIError)) throw new Error('the call did not fail as the API fails');
  return error;
};

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
    expect(await storedFiles()).toBe(0);
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
    expect(await storedFiles()).toBe(0);
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
    while ((await running()) > 0 || (await storedFiles()) > 0)
      await new Promise((next) => setTimeout(next, 50));
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.transcriptions[0]).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
  });

  it('whose job is cancelled elsewhere gets 409, and the log no error', async () => {
    const answer = failure(
      openai.audio.transcriptions.create({ file: sample('08-meeting-4min.mp3'), model: 'whisper-1' }),
    );
    const id = await until(async () => (await server.client.call('getQueue')).data.running[0]);
    await server.client.call('cancelTranscript', { params: { id } });
    expect(await answer).toMatchObject({ status: 409, code: 'conflict' });
    expect(await server.log()).not.toContain('A request failed');
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
    expect(await storedFiles()).toBe(0);
  });

  it('cannot translate with a model that is unable to', async () => {
    const error = await failure(openai.audio.translations.create({ file: sample(), model: 'nano' }));
    expect(error).toMatchObject({ status: 400, param: 'translate' });
  });
});
