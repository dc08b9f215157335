import { readFile } from 'node:fs/promises';
import { AssemblyAI } from 'assemblyai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { voiceChannels } from '../generators/voice-channels.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, SYNTHETIC, startServer, type TestServer } from '../support/server.ts';
import { parseSrt } from '../support/srt.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { parseWebVtt } from '../support/webvtt.ts';

const POLL = { pollingInterval: 200 };

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let server: TestServer;
let client: AssemblyAI;
let note: Awaited<ReturnType<AssemblyAI['transcripts']['transcribe']>>;

beforeAll(async () => {
  // What is asked of `pro` detects languages; what is not, takes a fraction of the time as `nano`.
  const args = [...SYNTHETIC, '--allow-private-addresses', '--model-alias', 'nano=starter-parakeet'];
  server = await startServer({ args, quick: true });
  client = new AssemblyAI({ apiKey: server.key, baseUrl: server.url });
  note = await client.transcripts.transcribe(
    {
      audio: fixturePath('01-short-note.wav'),
      language_code: 'en_us',
      speech_model: 'nano',
      auto_highlights: false,
    },
    POLL,
  );
});
afterAll(() => discard(server));

/** The last part of a key, which is random. */
const nameOf = (key: string): string => decodeURIComponent(key).split('/').at(-1) ?? '';
const uploadsOf = async (): Promise<string[]> =>
  (await server.client.call('listFiles', { query: { limit: 100 } })).data.files.map(({ key }) => nameOf(key));

describe('the assemblyai client with another base URL', () => {
  it('transcribes a local file: uploads, creates, waits', () => {
    expect(note).toMatchObject({
      status: 'completed',
      language_code: 'en',
      audio_duration: 15,
      punctuate: true,
    });
    expect(note.speech_model_used).toBe('starter-parakeet');
    expect(note.words?.map((word) => word.text).join(' ')).toBe(note.text);
    let reached = 0;
    for (const { start, end, confidence } of note.words ?? []) {
      expect(Number.isInteger(start) && Number.isInteger(end) && end >= start && start >= reached).toBe(true);
      expect(confidence).toBeGreaterThan(0);
      reached = start;
    }
    expect(note.utterances).toBeNull();
  });

  it('transcribes each channel by itself', async () => {
    const audio = await voiceChannels('02-two-speakers.mp3');
    const request = {
      audio,
      audio_end_at: 16_000,
      multichannel: true,
      language_code: 'en_us',
      speech_models: ['starter-parakeet'],
    };
    const calls = await client.transcripts.transcribe(request, POLL);
    expect(calls).toMatchObject({
      status: 'completed',
      multichannel: true,
      audio_channels: 2,
      speaker_labels: false,
    });
    const { words, utterances } = calls;
    expect(new Set(words?.map(({ channel, speaker }) => `${channel} ${speaker}`))).toEqual(
      new Set(['1 A', '2 B']),
    );
    expect(utterances?.length).toBeGreaterThan(4);
    const starts = utterances?.map(({ start }) => start) ?? [];
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    for (const turn of utterances ?? []) {
      expect(turn.words.every(({ channel }) => channel === turn.channel)).toBe(true);
    }
    const { sentences } = await client.transcripts.sentences(calls.id);
    expect(new Set(sentences.map(({ channel }) => channel))).toEqual(new Set(['1', '2']));
    expect(note).not.toHaveProperty('audio_channels');
    expect(note.words?.[0]).not.toHaveProperty('channel');
    const both = client.transcripts.submit({
      ...request,
      audio: 'https://example.org/a.mp3',
      speaker_labels: true,
    });
    await expect(both).rejects.toThrow(/speaker_labels.*each channel is a speaker already/);
  });

  it('uploads bytes, streams and data URIs', async () => {
    const bytes = await readFile(fixturePath('02-two-speakers.mp3'));
    const url = await client.files.upload(bytes);
    expect(url).toMatch(new RegExp(`^${server.url}/v1/storage/download/.+\\.mp3$`));
    const stream = new Blob([await readFile(fixturePath('05-spanish.ogg'))]).stream();
    expect(await client.files.upload(stream)).toMatch(/\.ogg$/);
    const flac = await readFile(fixturePath('03-three-speakers.flac'));
    expect(await client.files.upload(`data:audio/flac;base64,${flac.toString('base64')}`)).toMatch(/\.flac$/);
  });

  it('queues a transcript, and detects the language on request', async () => {
    const queued = await client.transcripts.submit({
      audio_url: note.audio_url,
      language_detection: true,
      audio_start_from: 4_000,
      audio_end_at: 9_000,
      punctuate: true,
      format_text: true,
    });
    expect(['queued', 'processing']).toContain(queued.status);
    expect(queued).toMatchObject({
      text: null,
      words: null,
      language_detection: true,
      audio_start_from: 4_000,
    });
    const done = await client.transcripts.waitUntilReady(queued.id, POLL);
    expect(done.status).toBe('completed');
    expect(done.language_code).toMatch(/^[a-z]{2,3}$/);
    expect(done.words?.length).toBeGreaterThan(0);
    for (const word of done.words ?? []) expect(word.start).toBeGreaterThanOrEqual(3_900);
  });

  it('spells, identifies, formats, and calls the webhook with its header', async () => {
    const receiver = await startWebhookReceiver();
    const made = await client.transcripts.transcribe(
      {
        audio: fixturePath('02-two-speakers.mp3'),
        audio_end_at: 7_500,
        speech_models: ['universal-3-5-pro', 'universal-2'],
        language_detection: true,
        language_detection_options: { expected_languages: ['en_us', 'de'], fallback_language: 'auto' },
        speaker_labels: true,
        speaker_options: { min_speakers_expected: 2, max_speakers_expected: 2 },
        custom_spelling: [{ from: ['nice to meet you'], to: 'Pleased to meet you' }],
        keyterms_prompt: ['Peter Walker'],
        domain: 'medical-v1',
        webhook_url: receiver.url('/done'),
        webhook_auth_header_name: 'X-Secret',
        webhook_auth_header_value: 'of mine',
        speech_understanding: {
          request: {
            speaker_identification: { speaker_type: 'name', known_values: ['Peter Walker', 'Maria'] },
            custom_formatting: { date: 'mm/dd/yyyy' },
          },
        },
      },
      POLL,
    );
    expect(made).toMatchObject({
      status: 'completed',
      speech_model: 'pro',
      speech_models: ['universal-3-5-pro', 'universal-2'],
      entity_detection: false,
      entities: null,
      webhook_auth: true,
      webhook_auth_header_name: 'X-Secret',
      webhook_url: receiver.url('/done'),
    });
    expect(made.text).toContain('Pleased to meet you, Peter.');
    expect(made.text).not.toMatch(/nice/i);
    const turns = made.utterances?.map(({ speaker, text }) => `${speaker}: ${text}`) ?? [];
    expect(turns[0]).toMatch(/^A: /);
    expect(turns[1]).toMatch(/^Peter Walker: .*my name is/);
    const response = made.speech_understanding;
    expect(response).toMatchObject({
      request: { speaker_identification: { known_values: ['Peter Walker', 'Maria'] } },
      response: {
        speaker_identification: { status: 'success', mapping: { A: 'A', B: 'Peter Walker' } },
        custom_formatting: { status: 'success', formatted_text: made.text },
      },
    });
    const [request] = await until(async () => {
      const received = receiver.requests('/done');
      return received.length > 0 ? received : undefined;
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({ transcript_id: made.id, status: 'completed' });
    expect(request?.headers['x-secret']).toBe('of mine');
    await receiver.close();
  });

  it('uses the first of several models that can run', async () => {
    const audio_url = note.audio_url;
    const other = await client.transcripts.submit({ audio_url, speech_models: ['large-v3', 'universal-2'] });
    expect(other.speech_model).toBe('pro');
    await client.transcripts.delete(other.id);
  });

  it('reads sentences and paragraphs', async () => {
    const { sentences, audio_duration } = await client.transcripts.sentences(note.id);
    expect(audio_duration).toBe(15);
    expect(sentences.map((sentence) => sentence.text).join(' ')).toBe(note.text);
    expect(sentences.flatMap((sentence) => sentence.words.map((word) => word.text))).toHaveLength(
      note.words?.length ?? 0,
    );
    const { paragraphs } = await client.transcripts.paragraphs(note.id);
    expect(paragraphs.map((paragraph) => paragraph.text).join(' ')).toBe(note.text);
  });

  it('reads subtitles', async () => {
    const srt = parseSrt(await client.transcripts.subtitles(note.id, 'srt', 32));
    for (const cue of srt) expect(cue.lines.join(' ').length).toBeLessThanOrEqual(32);
    expect(srt.flatMap((cue) => cue.lines).join(' ')).toBe(note.text);
    const { cues } = parseWebVtt(await client.transcripts.subtitles(note.id, 'vtt'));
    expect(cues.map((cue) => cue.text.replaceAll('\n', ' ')).join(' ')).toBe(note.text);
  });

  it('searches for words and phrases', async () => {
    const words = note.words ?? [];
    const phrase = words
      .slice(2, 4)
      .map((word) => word.text.replace(/[.,]/g, '').toUpperCase())
      .join(' ');
    const found = await client.transcripts.wordSearch(note.id, [phrase, 'zebra']);
    expect(found.total_count).toBeGreaterThan(0);
    expect(found.matches).toHaveLength(1);
    expect(found.matches[0]?.indexes).toContain(2);
    expect(found.matches[0]?.timestamps).toContainEqual([words[2]?.start, words[3]?.end]);
  });

  it('paginates in both directions', async () => {
    const all = await client.transcripts.list({ limit: 100 });
    expect(all.transcripts.length).toBeGreaterThanOrEqual(2);
    expect(all.page_details).toMatchObject({
      prev_url: null,
      next_url: null,
      result_count: all.transcripts.length,
    });
    const first = await client.transcripts.list({ limit: 1 });
    expect(first.transcripts[0]?.id).toBe(all.transcripts[0]?.id);
    const second = await client.transcripts.list(first.page_details.prev_url ?? '');
    expect(second.transcripts[0]?.id).toBe(all.transcripts[1]?.id);
    const back = await client.transcripts.list(second.page_details.next_url ?? '');
    expect(back.transcripts[0]?.id).toBe(all.transcripts[0]?.id);
    const today = new Date().toISOString().slice(0, 10);
    const ofToday = await client.transcripts.list({ status: 'completed', created_on: today });
    expect(ofToday.transcripts.map((item) => item.id)).toContain(note.id);
    expect((await client.transcripts.list({ created_on: '2001-01-01' })).transcripts).toEqual([]);
  });

  it('returns why a transcription failed', async () => {
    const failed = await client.transcripts.transcribe({ audio: `${server.url}/openapi.json` }, POLL);
    expect(failed).toMatchObject({ status: 'error', text: null });
    expect(failed.error).toMatch(/\w+ \w+/);
    await expect(client.transcripts.sentences(failed.id)).rejects.toThrow(/failed/);
  });

  it.each([
    [{ language_detection: true, language_confidence_threshold: 1 }, /language of this recording .* 100 %/],
    [{ speech_threshold: 1 }, /Words are heard in \d+ % .* 100 %/],
  ])('returns that %j was not reached', async (options, reason) => {
    const audio = note.audio_url;
    const failed = await client.transcripts.transcribe({ audio, audio_end_at: 4_000, ...options }, POLL);
    expect(failed).toMatchObject({ status: 'error', text: null, error: expect.stringMatching(reason) });
  });

  it('deletes', async () => {
    const made = await client.transcripts.submit({ audio_url: note.audio_url });
    const deleted = await client.transcripts.delete(made.id);
    expect(deleted).toMatchObject({ id: made.id, text: 'Deleted by user.', words: null });
    await expect(client.transcripts.get(made.id)).rejects.toThrow(/no such/i);
    // Another transcript uses the upload.
    expect((await client.transcripts.get(note.id)).audio_url).toBe(note.audio_url);
    expect(await uploadsOf()).toContain(nameOf(note.audio_url));
  });

  it('deletes an upload with the last transcript that uses it', async () => {
    const upload = await client.files.upload(await readFile(fixturePath('01-short-note.wav')));
    expect(nameOf(upload)).not.toBe(nameOf(note.audio_url));
    const [first, second] = await Promise.all(
      [1, 2].map(() => client.transcripts.submit({ audio_url: upload, speech_model: 'nano' })),
    );
    await client.transcripts.delete(first?.id ?? '');
    expect(await uploadsOf()).toContain(nameOf(upload));
    await client.transcripts.delete(second?.id ?? '');
    expect(await uploadsOf()).not.toContain(nameOf(upload));
    const form = new FormData();
    form.append(
      'file',
      new Blob([Uint8Array.from(await readFile(fixturePath('01-short-note.wav')))]),
      'own.wav',
    );
    const own = (await server.client.call('uploadFile', { body: form })).data.file;
    const made = await client.transcripts.submit({ audio_url: own.urls.download, speech_model: 'nano' });
    await client.transcripts.delete(made.id);
    expect(await uploadsOf()).toContain(nameOf(own.key));
  });

  it('redacts by the kinds of values, and its own function gets the redacted audio', async () => {
    const redacted = await client.transcripts.transcribe(
      {
        audio: fixturePath('04-personal-data.m4a'),
        redact_pii: true,
        redact_pii_sub: 'entity_name',
        redact_pii_policies: ['person_name', 'phone_number', 'location'],
        redact_pii_audio: true,
      },
      POLL,
    );
    expect(redacted.text).toMatch(/\[PERSON_NAME\]/);
    const file = await client.transcripts.redactedAudioFile(redacted.id);
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  });
});

describe('AssemblyAI’s form refuses with a reason', () => {
  it('a wrong key', async () => {
    const stranger = new AssemblyAI({ apiKey: 'wrong', baseUrl: server.url });
    await expect(stranger.transcripts.get(note.id)).rejects.toThrow(/not valid/);
  });

  it('a bare key on other routes', async () => {
    const answer = await server.fetch('/v1/transcript/recent', { headers: { authorization: server.key } });
    expect(answer.status).toBe(401);
  });

  it.each([
    [{ auto_chapters: true }, /auto_chapters.*not available/],
    [{ sentiment_analysis: true }, /sentiment_analysis.*not available/],
    [{ punctuate: false }, /punctuate.*Whisper writes punctuation/],
    [{ webhook_url: 'ftp://example.com' }, /webhook_url/],
    [{ webhook_auth_header_name: 'x-key' }, /needs webhook_url/],
    [{ webhook_auth_header_name: 'x y', webhook_url: 'https://example.com' }, /not a header name/],
    [{ topics: ['cats'] }, /topics.*not available/],
    [{ speech_models: ['whisper-99'] }, /speech_models/],
    [{ language_detection_options: { code_switching: true } }, /code_switching.*not available/],
    [{ language_detection_options: { expected_languages: ['xx'] } }, /expected_languages/],
    [{ language_detection_options: { on_no_speech_detected: 'error' as const } }, /empty text/],
    [{ speaker_options: { min_speakers_expected: 3, max_speakers_expected: 2 } }, /min_speakers_expected/],
    [
      { speech_understanding: { request: { translation: { target_languages: ['de'] } } } },
      /translation.*translate/,
    ],
    [
      { speech_understanding: { request: { speaker_identification: { speaker_type: 'role' as const } } } },
      /cannot be role/,
    ],
    [{ language_code: 'xx' }, /language_code/],
    [{ audio_start_from: 5000, audio_end_at: 4000 }, /audio_end_at/],
    [{ colour: 'blue' }, /colour/],
  ])('%j', async (options, reason) => {
    const call = client.transcripts.submit({ audio_url: note.audio_url, ...options });
    await expect(call).rejects.toThrow(reason);
  });

  it('redacted audio that was not requested', async () => {
    await expect(client.transcripts.redactedAudio(note.id)).rejects.toThrow(/redact_pii_audio/);
  });

  it('an upload that is not a recording', async () => {
    await expect(client.files.upload(Buffer.from('plain text, not audio'))).rejects.toThrow(/not supported/);
  });
});
