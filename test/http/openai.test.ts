import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OpenAiDiarized } from '../../electron/contract/openai.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath } from '../support/fixtures.ts';
import { type OpenAiServer, startOpenAi } from '../support/openai.ts';
import { discard } from '../support/server.ts';
import { parseSrt } from '../support/srt.ts';
import { parseWebVtt } from '../support/webvtt.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000 });

let server: OpenAiServer['server'];
let openai: OpenAI;
let sample: OpenAiServer['sample'];
let storedFiles: OpenAiServer['storedFiles'];
let clips: string;
/** What `whisper-1` hears in the note. */
let said = '';

beforeAll(async () => {
  ({ clips, openai, sample, server, storedFiles } = await startOpenAi());
});
afterAll(async () => {
  await discard(server);
});

/** A part of a conversation as a `data:` URL; seconds. */
const voiceSample = async (start: string, length: string): Promise<string> => {
  const path = join(clips, `voice-${start}.wav`);
  await ffmpeg('-ss', start, '-t', length, '-i', fixturePath('02-two-speakers.mp3'), path);
  return `data:audio/wav;base64,${(await readFile(path)).toString('base64')}`;
};

describe('the openai client with another base URL and key', () => {
  it('transcribes to JSON, also a file from memory with a name', async () => {
    const file = await toFile(sample(), 'note.wav');
    const answer = await openai.audio.transcriptions.create({ file, model: 'whisper-1' });
    expect(answer.text.split(' ').length).toBeGreaterThan(5);
    expect(answer.usage).toEqual({ type: 'duration', seconds: expect.any(Number) });
    said = answer.text;
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

  it('transcribes to verbose JSON with segments and words, also after a prompt that is too long', async () => {
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
    // A Whisper model, which also detects the language, and uses the end of the prompt.
    const words = await openai.audio.transcriptions.create({
      file: sample(),
      model: 'gpt-4o-transcribe',
      prompt: 'Northwind and 会社 '.repeat(200),
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    expect(words.language).toBe('english');
    expect(words.segments).toBeUndefined();
    expect(words.words?.length).toBeGreaterThan(5);
    expect(words.words?.map((word) => word.word).join(' ')).toBe(words.text);
    for (const { start, end } of words.words ?? []) expect(end).toBeGreaterThanOrEqual(start);
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.transcriptions[0]).toMatchObject({ model: 'pro' });
  });

  it.each([{ model: 'gpt-4o-transcribe', include: ['logprobs' as const] }])(
    'streams the text while it is recognized: $model',
    async (asked) => {
      const stream = await openai.audio.transcriptions.create({
        file: sample('02-two-speakers.mp3'),
        language: 'en',
        stream: true,
        ...asked,
      });
      let text = '';
      let tokens = '';
      let done: string | undefined;
      for await (const event of stream) {
        if (event.type === 'transcript.text.segment') throw new Error('segments were not asked for');
        const joined = event.logprobs?.map(({ token }) => token).join('') ?? '';
        if (event.type === 'transcript.text.delta') {
          text += event.delta;
          tokens += joined;
        } else {
          done = event.text;
          if (asked.include.length > 0) expect([joined, tokens]).toEqual([done, done]);
        }
      }
      expect(done?.length).toBeGreaterThan(10);
      expect(text).toBe(done);
    },
  );

  it('knows the current models, with the log probability of each word, and a file without a name', async () => {
    const bytes = await readFile(join(clips, '01-short-note.wav'));
    const answer = await openai.audio.transcriptions.create({
      file: new File([bytes], 'blob', { type: 'audio/wav' }),
      model: 'gpt-4o-mini-transcribe-2025-12-15',
      include: ['logprobs'],
      chunking_strategy: { type: 'server_vad', silence_duration_ms: 300, threshold: 0.4 },
    });
    expect(answer.text).toBe(said);
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

  it('streams segments with their speakers', async () => {
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
  });

  it('names the speakers of given samples', async () => {
    // From what each of them says later.
    const [first, second] = await Promise.all([voiceSample('20.3', '3'), voiceSample('28.9', '2.7')]);
    const talk = join(clips, 'talk.flac');
    await ffmpeg('-i', fixturePath('02-two-speakers.mp3'), '-t', '10.5', talk);
    const call = (names: string[], references?: string[]) =>
      openai.audio.transcriptions.create({
        file: sample('talk.flac'),
        // In English, it takes a fraction of the time.
        model: 'starter-parakeet',
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
    expect(await storedFiles()).toBe(0);
  });

  it('translates into English', async () => {
    const answer = await openai.audio.translations.create({
      file: sample('06-german.webm'),
      model: 'starter',
      response_format: 'verbose_json',
    });
    // The client's type of a translation has only the plain format.
    expect(answer).toMatchObject({ task: 'translate', language: 'english', duration: expect.any(Number) });
  });

  it('lists the models', async () => {
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toEqual(expect.arrayContaining(['starter', 'starter-parakeet', 'nano', 'mini', 'whisper-1']));
    // Not installed, or no recognizers.
    for (const id of ['large-v3', 'silero-v6.2.0']) expect(ids).not.toContain(id);
    for (const id of ids) {
      const model = await openai.models.retrieve(id);
      expect(model).toMatchObject({ id, object: 'model', installed: true });
    }
    const speakers = (await server.client.call('listModels', { query: { catalog: true } })).data;
    expect(speakers.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['detector', 'speakers']));
  });

  it('gets a model by its name elsewhere, and no unknown one', async () => {
    expect(await openai.models.retrieve('openai/whisper-base')).toMatchObject({
      id: 'openai/whisper-base',
      name: 'Whisper base',
    });
    await expect(openai.models.retrieve('whisper-99')).rejects.toMatchObject({ status: 404 });
  });

  it('leaves the transcription in the library, but no file', async () => {
    expect(await storedFiles()).toBe(0);
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.pagination.total).toBeGreaterThan(5);
    expect(data.transcriptions[0]?.status).toBe('completed');
  });
});
