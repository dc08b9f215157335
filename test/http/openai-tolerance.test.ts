import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { IGNORED_FIELDS } from '../../electron/contract/openai.ts';
import { oneSentence, tinyWav } from '../support/audio.ts';
import { RESOURCES } from '../support/paths.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000 });

let server: TestServer;
const quiet = Uint8Array.from(tinyWav());
const sentence = Uint8Array.from(oneSentence(1));

beforeAll(async () => {
  server = await startServer({ quick: true });
});
afterAll(() => discard(server));

type Field = readonly [name: string, value: string];

const send = async (fields: readonly Field[], audio = quiet, operation = 'transcriptions') => {
  const form = new FormData();
  form.append('file', new Blob([audio], { type: 'audio/wav' }), 'note.wav');
  for (const [name, value] of fields) form.append(name, value);
  const response = await server.fetch(`/v1/audio/${operation}`, { method: 'POST', body: form });
  return { status: response.status, text: await response.text() };
};

/** What the newest transcription was asked for. */
const asked = () => {
  const db = new BetterSqlite3(join(server.dataDir, 'earshot.db'), { readonly: true });
  const row = db
    .prepare('SELECT model, language_asked, options FROM transcripts ORDER BY id DESC LIMIT 1')
    .get();
  db.close();
  const { model, language_asked: language, options } = row as Record<string, string>;
  return { model, language, options: JSON.parse(options ?? '{}') };
};

const total = async () => (await server.client.call('listTranscripts')).data.pagination.total;

describe('the OpenAI form takes what real clients send', () => {
  it.each([
    ['', 'auto'],
    ['auto', 'auto'],
    ['EN', 'en'],
    ['en-US', 'en'],
    ['en_GB', 'en'],
    ['pt-BR', 'pt'],
    ['zh-CN', 'zh'],
    ['zh_TW', 'zh'],
    ['eng', 'en'],
    ['ger', 'de'],
    ['deu', 'de'],
    ['english', 'en'],
    ['Haitian Creole', 'ht'],
    ['mandarin', 'zh'],
    ['cmn', 'zh'],
    ['iw', 'he'],
    ['nb', 'no'],
    ['nb-NO', 'no'],
    ['fil', 'tl'],
    ['jv', 'jw'],
    ['jw', 'jw'],
    ['sr-Latn-RS', 'sr'],
  ])('the language "%s"', async (sent, language) => {
    expect(await send([['language', sent]])).toMatchObject({ status: 200 });
    expect(asked().language).toBe(language);
  });

  it('Chinese in the script of its region', async () => {
    await send([['language', 'zh-hant']]);
    expect(asked()).toMatchObject({ language: 'zh', options: { chinese_script: 'traditional' } });
  });

  it.each(['klingon', 'xx', '??'])('not the language "%s"', async (sent) => {
    const before = await total();
    expect(await send([['language', sent]])).toMatchObject({ status: 400 });
    expect(await total()).toBe(before);
  });

  it.each([
    ['True', true],
    ['1', true],
    ['true', true],
    ['False', false],
    ['0', false],
    ['', false],
  ])('the boolean "%s"', async (sent, isStream) => {
    const { status, text } = await send([['stream', sent]]);
    expect(status).toBe(200);
    expect(text.startsWith('event: ')).toBe(isStream);
  });

  it.each<[string, Field[]]>([
    [
      'with brackets',
      [
        ['timestamp_granularities[]', 'word'],
        ['timestamp_granularities[]', 'segment'],
      ],
    ],
    [
      'without brackets',
      [
        ['timestamp_granularities', 'word'],
        ['timestamp_granularities', 'segment'],
      ],
    ],
    ['in one field', [['timestamp_granularities', 'word,segment']]],
    ['as JSON', [['timestamp_granularities', '["word", "segment"]']]],
    ["by faster-whisper's name", [['word_timestamps', 'true']]],
  ])('words and segments, asked for %s', async (_name, fields) => {
    const { text } = await send([...fields, ['response_format', 'verbose_json']], sentence);
    const answer = JSON.parse(text);
    expect(answer.words.length).toBeGreaterThan(1);
    expect(answer.segments.length).toBeGreaterThan(0);
  });

  it('empty fields, and no model', async () => {
    const empty = [
      'model',
      'prompt',
      'temperature',
      'response_format',
      'timestamp_granularities[]',
      'hotwords',
    ];
    expect(await send(empty.map((name) => [name, '']))).toMatchObject({ status: 200 });
    expect(asked()).toMatchObject({ model: 'mini', language: 'auto' });
    expect(asked().options).not.toHaveProperty('prompt');
  });

  it.each(['prompt', 'initial_prompt'])('a long text as %s, of which the end counts', async (name) => {
    const said = 'The board met in Lisbon. ';
    expect(await send([[name, `${said.repeat(8000)}It was about Northwind.`]])).toMatchObject({
      status: 200,
    });
    const { prompt } = asked().options;
    expect(prompt).toHaveLength(1000);
    expect(prompt).toMatch(/It was about Northwind\.$/);
  });

  it('every ignored field, as the guide lists it', () => {
    const guide = readFileSync(join(RESOURCES, 'guide', 'guide.md'), 'utf8');
    for (const name of IGNORED_FIELDS) expect(guide).toContain(`\`${name}\``);
  });

  it.each([
    'user',
    'beam_size',
    'best_of',
    'vad_filter',
    'without_timestamps',
    'condition_on_previous_text',
    'seed',
  ])('%s, without effect', async (name) => {
    await send([]);
    const without = asked();
    expect(await send([[name, 'true']])).toMatchObject({ status: 200 });
    expect(asked()).toEqual(without);
  });

  it('hotwords, speakers and a task that mean something here', async () => {
    await send([
      ['hotwords', 'Northwind, Lisbon'],
      ['diarize', 'True'],
      ['task', 'translate'],
      ['model', 'pro'],
    ]);
    expect(asked().options).toMatchObject({ diarize: true, translate: true });
    expect(JSON.stringify(asked().options.vocabulary)).toMatch(/Northwind.*Lisbon/);
    expect(
      await send(
        [
          ['language', 'de'],
          ['model', 'pro'],
        ],
        quiet,
        'translations',
      ),
    ).toMatchObject({ status: 200 });
  });

  it.each([
    ['base', 'base-q8_0'],
    ['whisper-base', 'base-q8_0'],
    ['openai/whisper-base', 'base-q8_0'],
    ['Systran/faster-whisper-base', 'base-q8_0'],
    ['ggml-base.bin', 'base-q8_0'],
    ['base-q8_0', 'base-q8_0'],
    ['whisper-1', 'mini'],
    ['gpt-4o-transcribe', 'pro'],
    ['mini', 'mini'],
  ])('the model %s', async (sent, model) => {
    expect(await send([['model', sent]])).toMatchObject({ status: 200 });
    expect(asked().model).toBe(model);
  });

  it.each([
    ['whisper-large-v3-turbo', 'large-v3-turbo-q8_0'],
    ['deepdml/faster-whisper-large-v3-turbo-ct2', 'large-v3-turbo-q8_0'],
    ['openai/whisper-large-v3', 'large-v3'],
    ['whisper-small', 'small-q8_0'],
    ['Systran/faster-whisper-medium.en', 'medium.en'],
    ['large-v3-q5_0', 'large-v3-q5_0'],
    ['nvidia/parakeet-tdt-0.6b-v3', 'parakeet-tdt-0.6b-v3'],
    ['turbo', 'large-v3-turbo'],
  ])('says how to install what %s stands for, and leaves no failed transcription', async (sent, id) => {
    const before = await total();
    const { status, text } = await send([['model', sent]]);
    expect(status).toBe(400);
    expect(JSON.parse(text).error).toMatchObject({
      param: 'model',
      message: expect.stringContaining(`models install ${id}`),
    });
    expect(await total()).toBe(before);
  });

  it('no recording without sound, which leaves no failed transcription either', async () => {
    const before = await total();
    const video = Uint8Array.from(
      Buffer.from(
        'RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0',
        'latin1',
      ),
    );
    expect((await send([], video)).status).toBe(400);
    expect(await total()).toBe(before);
  });

  it('no field that nobody knows', async () => {
    expect(await send([['colour', 'blue']])).toMatchObject({ status: 400 });
  });
});
