import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript, type Transcription } from '../../electron/contract/transcript.ts';
import { talk, tinyWav } from '../support/audio.ts';
import { fixture, ONE_SENTENCE, truth } from '../support/fixtures.ts';
import { discard, QUICK, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

type Extra = Omit<Partial<Parameters<typeof CreateTranscript.parse>[0] & object>, 'audio_url'>;

const transcribe = async (name: string, extra: Extra = {}): Promise<Transcription> => {
  const url = remote.set(`/${name}`, file(fixture(name)));
  return server.client.call('createTranscript', {
    body: CreateTranscript.parse({ audio_url: url, wait_until_complete: true, ...extra }),
  });
};

/** Recognizes with the default of what decides on words; the rest of {@link QUICK} saves trials of copies. */
const byDefault = async <T>(action: () => Promise<T>): Promise<T> => {
  await server.client.call('patchSettings', { body: { 'engine.beamSize': null } });
  try {
    return await action();
  } finally {
    await server.client.call('patchSettings', { body: QUICK });
  }
};

/** Recognitions that several tests look at. */
let note: Promise<Transcription> | undefined;
const noteWithWords = () =>
  (note ??= byDefault(() => transcribe('01-short-note.wav', { timestamp_style: 'word' })));

/** A WAV file with a chunk of so many bytes before its sound, which players skip. */
const withJunk = (file: Buffer, length: number): Buffer => {
  const chunk = Buffer.alloc(8);
  chunk.write('JUNK');
  chunk.writeUInt32LE(length, 4);
  const junk = Buffer.from(Uint32Array.from({ length: length / 4 }, (_, index) => index).buffer);
  const FORMAT_END = 36;
  const whole = Buffer.concat([file.subarray(0, FORMAT_END), chunk, junk, file.subarray(FORMAT_END)]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
};

describe('a recording behind a URL', () => {
  it('becomes text with times, language, confidence and credits', async () => {
    const t = await byDefault(() => transcribe('01-short-note.wav'));
    expect(t.status).toBe('completed');
    expect(t.text).toBe(truth('01-short-note.wav').text);
    expect(t.language).toBe('en');
    expect(t.model).toBe('mini');
    expect(t.model_id).toBe('starter');
    expect(t.warnings).toEqual([]);
    expect(t.duration).toBeCloseTo(15.4, 1);
    expect(t.credits_used).toBe(0.26);
    expect(t.confidence).toBeGreaterThan(0.8);
    expect(t.word_count).toBe(35);
    expect(t.file_info).toEqual({ name: '01-short-note.wav', size: 492_762, format: 'wav' });
    expect(t.segments.map((segment) => segment.id)).toEqual(t.segments.map((_, index) => index));
    expect(t.segments.every((segment) => segment.words === undefined && segment.speaker_id === null)).toBe(
      true,
    );
    for (const [index, sentence] of truth('01-short-note.wav').sentences.entries()) {
      expect(t.segments[index]?.start).toBeCloseTo(sentence.start, 0);
      expect(t.segments[index]?.end).toBeCloseTo(sentence.end, 0);
    }
  });

  it('keeps words and times after long silences', async () => {
    // Three sentences of the note, one each 40 seconds, and digital silence in between.
    const audio_url = remote.set('/silences.wav', file(talk(90, 40)));
    const body = { audio_url, wait_until_complete: true };
    const t = await byDefault(() => server.client.call('createTranscript', { body }));
    const sentences = truth('01-short-note.wav').sentences.slice(0, 3);
    expect(t.segments.map(({ text }) => text)).toEqual(sentences.map(({ text }) => text));
    for (const [index, { start, end }] of sentences.entries()) {
      expect(Math.abs((t.segments[index]?.start ?? 0) - 40 * index)).toBeLessThan(0.5);
      expect(Math.abs((t.segments[index]?.end ?? 0) - 40 * index - (end - start))).toBeLessThan(0.5);
    }
  });

  it('has words with ascending times inside their segment', async () => {
    const t = await noteWithWords();
    expect(t.segments.length).toBeGreaterThan(3);
    for (const segment of t.segments) {
      const words = segment.words ?? [];
      expect(words.map((word) => word.word).join(' ')).toBe(segment.text);
      const times = [segment.start, ...words.flatMap((word) => [word.start, word.end]), segment.end];
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(words.every((word) => word.confidence >= 0 && word.confidence <= 1)).toBe(true);
    }
    const starts = t.segments.map((segment) => segment.start);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  it('can be transcribed in a range, on the source’s timeline, and only the range is charged', async () => {
    const t = await transcribe('02-two-speakers.mp3', { audio_start_from: 10, audio_end_at: 16 });
    expect(t.status).toBe('completed');
    expect(t.duration).toBeCloseTo(6, 1);
    expect(t.credits_used).toBe(0.1);
    expect(t.segments[0]?.start).toBeGreaterThanOrEqual(10);
    expect(t.segments.at(-1)?.end).toBeLessThanOrEqual(16.001);
  });

  it('ends with the audio if the range is longer', async () => {
    const range = { audio_start_from: 6.8, audio_end_at: 999 };
    const t = await byDefault(() => transcribe('01-short-note.wav', range));
    expect(t.duration).toBeCloseTo(8.6, 1);
    expect(t.text).toBe(
      'The deadline for the contract is March 5th, 2026. Please send me the report before Friday.',
    );
  });
});

/** What the lists are filtered by. */
let spanish: { readonly id: string };

describe('a transcription', () => {
  /** Of one sentence; the last test that looks at it deletes it. */
  let short: Transcription;

  it('is created with 202 and a Location, and can be polled to its end', async () => {
    const url = remote.set('/later.wav', file(fixture(ONE_SENTENCE)));
    const response = await server.fetch('/v1/transcript', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ audio_url: url }),
    });
    expect(response.status).toBe(202);
    const created: Transcription = await response.json();
    expect(created).toMatchObject({
      status: 'processing',
      text: '',
      segments: [],
      duration: 0,
      name: 'later.wav',
    });
    expect(created.progress).toBeDefined();
    expect(response.headers.get('location')).toBe(`/v1/transcript/id/${created.id}`);
    const percents: number[] = [];
    let current = created;
    while (current.status === 'processing') {
      percents.push(current.progress?.percent ?? -1);
      await new Promise((resolve) => setTimeout(resolve, 100));
      current = await server.client.call('getTranscript', { params: { id: created.id } });
    }
    expect(current).toMatchObject({ status: 'completed', text: truth(ONE_SENTENCE).text });
    expect(current.progress).toBeUndefined();
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    short = current;
  });

  it('has sentences with contiguous ids, which contain every word once', async () => {
    const t = await noteWithWords();
    const { data } = await server.client.call('getSentences', { params: { id: t.id } });
    expect(data.transcription_id).toBe(t.id);
    expect(data.sentences.map((sentence) => sentence.id)).toEqual(
      data.sentences.map((_, index) => index + 1),
    );
    expect(data.total_sentences).toBe(data.sentences.length);
    expect(data.sentences.flatMap((sentence) => sentence.words.map((word) => word.word)).join(' ')).toBe(
      t.text,
    );
    for (const sentence of data.sentences) {
      expect(sentence.start).toBeGreaterThanOrEqual(0);
      expect(sentence.end).toBeLessThanOrEqual(t.duration);
      expect(sentence.end).toBeGreaterThanOrEqual(sentence.start);
    }
    const words = data.sentences.flatMap((sentence) => sentence.words);
    const mean = words.reduce((sum, word) => sum + word.confidence, 0) / words.length;
    expect(data.statistics.average_confidence).toBeCloseTo(mean, 2);
    const { words_per_minute: rate, speaking_rate: name } = data.statistics;
    expect(name).toBe(rate < 110 ? 'slow' : rate > 170 ? 'fast' : 'normal');
  });

  it('takes corrections: text, sentences and search follow, and unchanged words keep their times', async () => {
    const t = await noteWithWords();
    const before = t.segments[1]?.words ?? [];
    const changed = await server.client.call('patchTranscript', {
      params: { id: t.id },
      body: {
        name: 'Notes for Šimon',
        segments: [{ id: 1, text: 'Today we will talk about the zeppelin.' }],
      },
    });
    expect(changed.name).toBe('Notes for Šimon');
    expect(changed.text).toContain('talk about the zeppelin.');
    const after = changed.segments[1]?.words ?? [];
    expect(after.slice(0, 6)).toEqual(before.slice(0, 6));
    expect(after.at(-1)).toMatchObject({ word: 'zeppelin.', confidence: 1, start: before.at(-1)?.start });
    const found = await server.client.call('searchTranscripts', { query: { q: 'zeppelin' } });
    expect(found.data.results.map((result) => result.id)).toEqual([t.id]);
    const hit = found.data.results[0]?.hits[0];
    expect(hit?.marks.map(([from, to]) => hit.snippet.slice(from, to))).toEqual(['zeppelin']);
    expect(hit?.start).toBe(t.segments[1]?.start);
    const { data } = await server.client.call('getSentences', { params: { id: t.id } });
    expect(data.sentences[1]?.text).toBe('Today we will talk about the zeppelin.');
    const stale = (text: string, was: string) =>
      server.client.call('patchTranscript', {
        params: { id: t.id },
        body: { segments: [{ id: 1, text, was }] },
      });
    await expect(stale('Another text.', t.segments[1]?.text ?? '')).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
      details: [{ path: 'segments.1' }],
    });
    expect((await stale('Another text.', 'Today we will talk about the zeppelin.')).text).toContain(
      'Another text.',
    );
  });

  it('splits and merges paragraphs, which survive corrections and are exported', async () => {
    const t = short;
    const patch = (segment: { text?: string; paragraph_starts?: number[] | null }) =>
      server.client.call('patchTranscript', {
        params: { id: t.id },
        body: { segments: [{ id: 0, ...segment }] },
      });
    const paragraphs = async () =>
      (await (await server.fetch(`/v1/transcript/id/${t.id}/export?format=txt`)).text()).trim().split('\n\n');
    const [first = ''] = await paragraphs();
    const words = first.split(' ');
    const split = await patch({ paragraph_starts: [0, 2] });
    expect(split.segments[0]).toMatchObject({ text: t.segments[0]?.text, paragraph_starts: [0, 2] });
    expect(split.segments[0]?.words).toEqual(t.segments[0]?.words);
    expect(await paragraphs()).toEqual([words.slice(0, 2).join(' '), words.slice(2).join(' ')]);

    const edited = await patch({
      text: ['Well,', words[0], words[1], 'Zeppelin', ...words.slice(3)].join(' '),
    });
    expect(edited.segments[0]?.paragraph_starts).toEqual([0, 3]);
    expect((await paragraphs())[1]).toBe(['Zeppelin', ...words.slice(3)].join(' '));
    const joined = await patch({ paragraph_starts: [] });
    expect(joined.segments[0]?.paragraph_starts).toEqual([]);
    expect(await paragraphs()).toHaveLength(1);
    expect((await patch({ paragraph_starts: null })).segments[0]).not.toHaveProperty('paragraph_starts');
  });

  it('leaves nothing after its deletion', async () => {
    const t = short;
    const audio = await server.fetch(`/v1/transcript/id/${t.id}/audio`, { headers: { range: 'bytes=0-3' } });
    expect(audio.status).toBe(206);
    expect(await audio.text()).toBe('RIFF');
    const gone = await server.client.call('deleteTranscript', { params: { id: t.id } });
    expect(gone).toEqual({ message: 'The transcription is deleted.' });
    for (const path of ['', '/sentences', '/audio', '/peaks', '/export?format=txt']) {
      const response = await server.fetch(`/v1/transcript/id/${t.id}${path}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ success: false, code: 'transcript_not_found' });
    }
  });

  it('keeps streaming its audio to a player when it is deleted', async () => {
    const bytes = withJunk(tinyWav(), 24e6);
    const audio_url = remote.set('/large.wav', file(bytes));
    const { id } = await server.client.call('createTranscript', {
      body: { audio_url, wait_until_complete: true },
    });
    const audio = await server.fetch(`/v1/transcript/id/${id}/audio`);
    const heard = createHash('sha256');
    let deleted = false;
    for await (const chunk of audio.body ?? []) {
      heard.update(chunk);
      if (deleted) continue;
      await server.client.call('deleteTranscript', { params: { id } });
      deleted = true;
    }
    expect(heard.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect((await server.fetch(`/v1/transcript/id/${id}/audio`)).status).toBe(404);
  });

  it('is created once for one Idempotency-Key, also by concurrent requests', async () => {
    const url = remote.set('/once.wav', file(tinyWav()));
    const ask = (name: string) =>
      server.fetch('/v1/transcript', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify({ audio_url: url, name, language: 'es' }),
      });
    const answers = await Promise.all([ask('a'), ask('a'), ask('a')]);
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Transcription).id));
    expect(new Set(ids).size).toBe(1);
    spanish = { id: ids[0] ?? '' };
    const other = await ask('b');
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ code: 'idempotency_mismatch' });
  });
});

describe('lists of transcriptions', () => {
  it('page, filter, sort and count', async () => {
    await until(
      async () => (await server.client.call('getTranscript', { params: spanish })).status === 'completed',
    );
    const { data } = await server.client.call('listTranscripts', {
      query: { limit: 2, sort: 'duration', order: 'asc' },
    });
    expect(data.transcriptions).toHaveLength(2);
    expect(data.transcriptions[0]?.duration).toBeLessThanOrEqual(data.transcriptions[1]?.duration ?? 0);
    expect(data.pagination).toMatchObject({ page: 1, limit: 2, hasPrev: false, hasNext: true });
    expect(data.stats.total_transcriptions).toBe(data.pagination.total);
    const inSpanish = await server.client.call('listTranscripts', { query: { language: 'es' } });
    expect(inSpanish.data.transcriptions.map((item) => item.id)).toEqual([spanish.id]);
    expect(inSpanish.data.transcriptions.map((item) => item.language)).toEqual(['es']);
    expect(inSpanish.data.stats).toEqual(data.stats);
    const past = await server.client.call('listTranscripts', { query: { page: 99 } });
    expect(past.data.transcriptions).toEqual([]);
    expect(past.data.pagination).toMatchObject({ page: 99, hasNext: false, hasPrev: true });
    const all = await server.client.call('listTranscripts', { query: { limit: 100 } });
    const credits = all.data.transcriptions.reduce((sum, item) => sum + item.credits_used, 0);
    expect(all.data.stats.total_credits_used).toBeCloseTo(credits, 2);
    expect(all.data.transcriptions.every((item) => item.text.length <= 100)).toBe(true);
    const times = all.data.transcriptions.map((item) => item.created_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('filter by model and by time', async () => {
    const ask = async (query: Record<string, string>) =>
      (await server.client.call('listTranscripts', { query: { ...query, limit: 100 } })).data;
    const all = await ask({});
    const newest = all.transcriptions[0]?.created_at ?? '';
    expect((await ask({ model: 'mini' })).pagination.total).toBe(all.pagination.total);
    expect((await ask({ model: 'pro' })).transcriptions).toEqual([]);
    expect((await ask({ created_to: newest })).pagination.total).toBe(all.pagination.total - 1);
    const [last, ...others] = (await ask({ created_from: newest, model: 'mini' })).transcriptions;
    expect([last?.created_at, others]).toEqual([newest, []]);
    const elsewhere = newest.replace('Z', '+00:00');
    expect((await ask({ created_from: elsewhere })).pagination.total).toBe(1);
    await expect(ask({ created_from: 'yesterday' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('include the recent ones as a plain array', async () => {
    const recent = await server.client.call('recentTranscripts', { query: { limit: 3 } });
    expect(recent).toHaveLength(3);
    for (const item of recent) {
      expect(Object.keys(item)).toEqual(['id', 'name', 'date', 'status', 'duration']);
      expect(item.status).toMatch(/^(Completed|Processing|Failed)$/);
      expect(item.duration).toMatch(/^\d{2,}:\d{2}$/);
      expect(item.date).toMatch(/^(just now|\d+ minutes? ago)$/);
    }
  });
});
