import { openAsBlob } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import { withSpeakers } from '../../../electron/core/pipeline/findings/diarize-words.ts';
import { fixturePath, truth } from '../../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { transcribe } from '../../support/transcribe.ts';
import { startUrlServer, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;

/** Transcribes with the fastest recognizer. */
const hear = (name: string, extra: Parameters<typeof transcribe>[3]) =>
  transcribe(server, remote, name, { model: 'starter-parakeet', ...extra });

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

/** A conversation that was diarized after it was recognized, for several tests. */
const conversation = (() => {
  let first: ReturnType<typeof make> | undefined;
  const make = async () => {
    const made = await hear('02-two-speakers.mp3', { audio_end_at: 16 });
    const body = AnalyzeTranscript.parse({ diarize: true, speakers_expected: 2, wait_until_complete: true });
    const params = { id: made.id };
    return { made, diarized: await server.client.call('analyzeTranscript', { params, body }) };
  };
  return () => {
    first ??= make();
    return first;
  };
})();

describe('a conversation', () => {
  it('is diarized: each sentence has the speaker who says it', async () => {
    const name = '03-three-speakers.flac';
    const audio_end_at = 18.3;
    const t = await hear(name, { diarize: true, timestamp_style: 'word', audio_end_at });
    expect(t.status).toBe('completed');
    expect(Object.keys(t.speakers ?? {})).toEqual(['A', 'B', 'C']);
    expect(t.speakers?.A?.name).toBe('Speaker A');
    const shares = Object.values(t.speakers ?? {}).map((speaker) => speaker.share);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 2);
    expect(t.segments[0]?.speaker_id).toBe('A');
    for (const segment of t.segments) {
      expect(new Set(segment.words?.map((word) => word.speaker_id))).toEqual(new Set([segment.speaker_id]));
    }
    const labels = new Map<string, string>();
    for (const sentence of truth(name).sentences.filter(({ end }) => end < audio_end_at)) {
      const middle = (sentence.start + sentence.end) / 2;
      const heard = t.segments.find((segment) => segment.start <= middle && middle < segment.end);
      const label = labels.get(sentence.speaker) ?? heard?.speaker_id ?? '';
      labels.set(sentence.speaker, label);
      expect(heard?.speaker_id).toBe(label);
    }
    expect(labels.size).toBe(3);
    expect(t.segments.map(({ id }) => id)).toEqual(t.segments.map((_, index) => index));
  });

  it('has as many speakers as expected, also in a reanalysis, which keeps their names', async () => {
    const { made, diarized: t } = await conversation();
    expect(made.segments.every(({ speaker_id }) => speaker_id === null)).toBe(true);
    expect(t.text).toBe(made.text);
    expect(Object.keys(t.speakers ?? {})).toEqual(['A', 'B']);
    const named = await server.client.call('patchTranscript', {
      params: { id: made.id },
      body: { speakers: { A: 'Maria' } },
    });
    expect(named.speakers?.A?.name).toBe('Maria');
  });

  it('identifies the speakers again from a second on, as an edit that can be undone', async () => {
    // The part that is diarized again is shorter than the diarizer's window of 10 seconds.
    const params = { id: (await conversation()).made.id };
    const t = await server.client.call('getTranscript', { params });
    const [from = 0] = t.segments.slice(4).map(({ start }) => start);
    const labels = ({ segments }: typeof t) => segments.map(({ speaker_id }) => speaker_id);
    const merged = await server.client.call('mergeSpeakers', { params, body: { from: 'B', into: 'A' } });
    expect(new Set(labels(merged))).toEqual(new Set(['A']));
    await server.client.call('undoEdit', { params, body: {} });
    const again = await server.client.call('analyzeTranscript', {
      params,
      body: AnalyzeTranscript.parse({
        diarize: true,
        diarize_from: from,
        speakers_expected: 1,
        wait_until_complete: true,
      }),
    });
    expect(again.text).toBe(t.text);
    expect(labels(again).slice(0, 4)).toEqual(labels(t).slice(0, 4));
    expect(new Set(labels(again).slice(4)).size).toBe(1);
    expect(again.edits?.undo).toMatchObject({ kind: 'diarization' });
    const undone = await server.client.call('undoEdit', { params, body: {} });
    expect(labels(undone)).toEqual(labels(t));
    expect(undone.speakers).toEqual(t.speakers);
    const wrong = { diarize_from: 3, topics: true };
    await expect(
      server.client.call('analyzeTranscript', {
        params,
        body: AnalyzeTranscript.safeParse(wrong).data ?? wrong,
      }),
    ).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'diarize_from' }] });
  });

  it('names the known speakers whom it recognizes, and none of them once it is redacted', async () => {
    const form = new FormData();
    form.append('file', await openAsBlob(fixturePath('09-silence.wav')), 'silence.wav');
    const { data } = await server.client.call('uploadFile', { body: form });
    const sample = `storage:${data.file.key}`;
    const peter = { name: 'Peter Walker' };
    const known_speakers = [peter, { name: 'Ana', sample }, { name: 'Maria' }];
    const asked = { diarize: true, known_speakers, audio_end_at: 7.5 };
    const t = await hear('02-two-speakers.mp3', asked);
    const names = Object.values(t.speakers ?? {}).map(({ name }) => name);
    expect(names).toEqual(['Speaker A', 'Peter Walker']);
    expect(t.warnings.filter((warning) => /sample of Ana’s voice/.test(warning))).toHaveLength(1);
    const redaction = { redact_pii: true, diarize: true, known_speakers: [peter], wait_until_complete: true };
    const redacted = await server.client.call('analyzeTranscript', {
      params: { id: t.id },
      body: AnalyzeTranscript.parse(redaction),
    });
    const redactedAtOnce = await hear('02-two-speakers.mp3', { ...asked, redact_pii: true });
    for (const each of [redacted, redactedAtOnce]) {
      expect(each.status).toBe('completed');
      expect(JSON.stringify(each)).not.toContain('Walker');
    }
  });

  it('refuses a sample that is not stored', async () => {
    const known_speakers = [{ name: 'Ana', sample: 'storage:/usr/none.wav' }];
    const asked = hear('01-short-note.wav', { diarize: true, known_speakers });
    await expect(asked).rejects.toMatchObject({
      code: 'file_not_found',
      details: [{ path: 'known_speakers.0.sample' }],
    });
  });
});

describe('withSpeakers', () => {
  const word = (text: string, start: number, end: number) => ({
    word: text,
    start,
    end,
    confidence: 1,
    speaker_id: null,
  });
  const segment = {
    id: 0,
    text: 'Are you there? Yes, I am here.',
    start: 0,
    end: 4,
    speaker_id: null,
    words: [
      word('Are', 0, 0.5),
      word('you', 0.5, 1),
      word('there?', 1, 1.5),
      word('Yes,', 2, 2.4),
      word('I', 2.4, 2.6),
      word('am', 2.6, 3),
      word('here.', 3, 4),
    ],
  };

  it('splits a segment between words, and counts talk by turns', async () => {
    const { segments, speakers } = withSpeakers(
      [segment],
      [
        { start: 0, end: 1.7, speaker: 5 },
        { start: 1.8, end: 4, speaker: 2 },
      ],
    );
    expect(segments).toMatchObject([
      { id: 0, text: 'Are you there?', start: 0, end: 1.5, speaker_id: 'A' },
      { id: 1, text: 'Yes, I am here.', start: 2, end: 4, speaker_id: 'B' },
    ]);
    expect(speakers).toMatchObject({ A: { talk_seconds: 1.7 }, B: { talk_seconds: 2.2 } });
  });

  it('flags words during which somebody else speaks, and names the likeliest speaker', async () => {
    const { segments } = withSpeakers(
      [{ ...segment, words: segment.words.map((each) => ({ ...each, overlap: true })) }],
      [
        { start: 0, end: 2.45, speaker: 0 },
        { start: 1.9, end: 4, speaker: 1 },
      ],
    );
    const words = segments.flatMap((part) => part.words);
    expect(words.map((each) => each.speaker_id).join('')).toBe('AAAABBB');
    expect(words.filter((each) => each.overlap).map((each) => each.word)).toEqual(['Yes,']);
  });

  it('keeps words together if a turn is slightly off, or no speaker was found', async () => {
    const turns = [
      { start: 0, end: 1.1, speaker: 0 },
      { start: 1.1, end: 4, speaker: 1 },
    ];
    const short = { ...segment, text: 'Are you there?', end: 1.5, words: segment.words.slice(0, 3) };
    expect(withSpeakers([short], turns).segments).toMatchObject([
      { text: 'Are you there?', speaker_id: 'A' },
    ]);
    expect(withSpeakers([segment], []).segments).toEqual([segment]);
  });
});
