import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CreateTranscriptInput, Transcription } from '../../../electron/contract/transcript.ts';
import { voiceChannels } from '../../generators/voice-channels.ts';
import { ffmpeg } from '../../support/ffmpeg.ts';
import { fixture, fixturePath, ONE_SENTENCE, truth } from '../../support/fixtures.ts';
import { killOnCommit } from '../../support/kill-on-commit.ts';
import { secretsIn } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { parseSrt } from '../../support/srt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { plainWords, wordErrorRate } from '../../support/word-error-rate.ts';

const TALK = '02-two-speakers.mp3';
const PATIENCE_MS = 300_000;

vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

let server: TestServer;
let remote: UrlServer;
beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

type Request = Partial<Omit<CreateTranscriptInput, 'audio_url'>>;

const serve = (path: string): string => remote.set(`/${basename(path)}`, file(readFileSync(path)));

const create = (audio_url: string, request: Request = {}): Promise<Transcription> =>
  server.client.call('createTranscript', {
    body: {
      audio_url,
      model: 'starter-parakeet',
      language: 'en',
      timestamp_style: 'word',
      multichannel: true,
      wait_until_complete: true,
      ...request,
    },
  });

const textOf = ({ segments }: Transcription, channel: number): string =>
  segments
    .filter((segment) => segment.channel === channel)
    .map(({ text }) => text)
    .join(' ');

const sentencesOf = (name: string) => truth(name).sentences.filter(({ end }) => end <= TALK_END);

const said = (name: string, speaker: string): string =>
  sentencesOf(name)
    .filter((sentence) => sentence.speaker === speaker)
    .map(({ text }) => text)
    .join(' ');

/** Where the longer recordings end. */
const TALK_END = 14;
/** Ends a recording there: one that a request ends is encoded again, to be kept. */
const CUT = ['-t', String(TALK_END)];

const RANGE_END = 13.9;

let talk: Promise<string> | undefined;
/** The address of the talk with each voice in a channel of its own. */
const talkByChannel = (): Promise<string> =>
  (talk ??= voiceChannels(TALK, { output: CUT }).then((path) =>
    remote.set('/talk.wav', file(readFileSync(path))),
  ));

let mono: Promise<Transcription> | undefined;
const createMono = (): Promise<Transcription> =>
  (mono ??= create(remote.set('/mono.wav', file(fixture(ONE_SENTENCE)))));

let right: Promise<Transcription> | undefined;
/** A transcript of a sentence in the right channel, with silence in the left one. */
const createRight = (): Promise<Transcription> =>
  (right ??= (async () => {
    const path = `${temporaryFolder()}/right.wav`;
    await ffmpeg('-i', fixturePath(ONE_SENTENCE), '-af', 'pan=stereo|c1=c0', path);
    return create(serve(path));
  })());

let shared: string | undefined;
/** A transcript of the first turns that tests share, as it is now; both speak at once at times. */
const firstTurns = async (): Promise<Transcription> => {
  shared ??= (await create(serve(await voiceChannels(TALK, { shift: 1.7, output: CUT })))).id;
  return server.client.call('getTranscript', { params: { id: shared } });
};

/** Every segment and word is of a channel, the segments are in order of time, and no word of the text is missing. */
const expectWhole = (transcript: Transcription, channels: readonly number[]): void => {
  expect(transcript).toMatchObject({ status: 'completed', channels: channels.length });
  const { segments } = transcript;
  expect([...new Set(segments.map(({ channel }) => channel))].toSorted()).toEqual(channels);
  for (const { channel, words = [] } of segments) {
    expect(words.every((word) => word.channel === channel)).toBe(true);
  }
  const starts = segments.map(({ start }) => start);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  expect(segments.map(({ id }) => id)).toEqual(segments.map((_, index) => index));
  expect(segments.map(({ text }) => text).join(' ')).toBe(transcript.text);
};

describe('multichannel', () => {
  it.each(['starter', 'starter-parakeet'])(
    'recognizes each channel by itself with %s, and merges them by time',
    async (model) => {
      const transcript = await create(await talkByChannel(), { model });
      expectWhole(transcript, [0, 1]);
      expect(wordErrorRate(said(TALK, 'A'), textOf(transcript, 0))).toBeLessThan(0.1);
      expect(wordErrorRate(said(TALK, 'B'), textOf(transcript, 1))).toBeLessThan(0.15);
      const turns = transcript.segments.map(({ speaker_id }) => speaker_id);
      const changes = turns.filter((speaker, index) => speaker !== turns[index - 1]);
      const order = sentencesOf(TALK).map(({ speaker }) => speaker);
      expect(changes).toEqual(order.filter((speaker, index) => speaker !== order[index - 1]));
      expect(transcript.speakers).toMatchObject({ A: { name: 'Speaker A' }, B: { name: 'Speaker B' } });
    },
  );

  it('drops what each channel hears of the other', async () => {
    const transcript = await create(serve(await voiceChannels(TALK, { bleed: -15, output: CUT })));
    expectWhole(transcript, [0, 1]);
    expect(wordErrorRate(said(TALK, 'A'), textOf(transcript, 0))).toBeLessThan(0.1);
    expect(wordErrorRate(said(TALK, 'B'), textOf(transcript, 1))).toBeLessThan(0.15);
    expect(transcript.warnings.join()).not.toContain('same sound');
  });

  it('shows once what two channels with the same sound say, and warns', async () => {
    const path = `${temporaryFolder()}/same.wav`;
    await ffmpeg('-i', fixturePath(ONE_SENTENCE), '-ac', '2', path);
    const transcript = await create(serve(path));
    expect(transcript.channels).toBe(2);
    expect(wordErrorRate(truth(ONE_SENTENCE).text, transcript.text)).toBeLessThan(0.1);
    expect(transcript.segments.every(({ channel }) => channel === 0)).toBe(true);
    expect(transcript.warnings.join()).toContain('The channels 0 and 1 carry the same sound');
  });

  it('names the speaker of a channel, and takes the name into the exports', async () => {
    const { id, text } = await firstTurns();
    expect(text).not.toContain('Konrad');
    await server.client.call('patchTranscript', { params: { id }, body: { speakers: { B: 'Konrad' } } });
    const response = await server.fetch(`/v1/transcript/id/${id}/export?format=txt`);
    expect(await response.text()).toContain('Konrad');
  });

  it('numbers the channels of several tracks of a video one after the other', async () => {
    const sound = await voiceChannels(TALK, { extension: 'mkv', output: ['-c:a', 'flac', ...CUT] });
    const video = `${temporaryFolder()}/tracks.mkv`;
    const picture = ['-f', 'lavfi', '-i', 'color=black:s=64x64:r=5:d=4'];
    await ffmpeg(
      ...['-i', fixturePath(ONE_SENTENCE), '-i', sound, ...picture],
      ...['-map', '2:v', '-map', '0:a', '-map', '1:a', '-c:a', 'flac', video],
    );
    const transcript = await create(serve(video));
    expectWhole(transcript, [0, 1, 2]);
    expect(wordErrorRate(truth(ONE_SENTENCE).text, textOf(transcript, 0))).toBeLessThan(0.1);
    expect(wordErrorRate(said(TALK, 'A'), textOf(transcript, 1))).toBeLessThan(0.1);
    expect(transcript.segments.map(({ speaker_id }) => speaker_id)).toContain('C');
    expect(transcript.duration).toBeGreaterThan(13.9);
    // A player plays the first track alone, so that the audio is all tracks in one.
    const { data } = await server.client.call('transcriptAudioUrl', { params: { id: transcript.id } });
    const played = await fetch(data.url);
    expect([played.status, played.headers.get('content-type')]).toEqual([200, 'audio/mp4']);
    const url = remote.set('/mixed.m4a', file(Buffer.from(await played.arrayBuffer())));
    const heard = await create(url, {
      multichannel: false,
      audio_start_from: 7.4,
      audio_end_at: TALK_END,
    });
    expect(heard.duration).toBeCloseTo(transcript.duration - 7.4, 0);
    expect(heard.text).toContain('agenda');
    expect(heard.text).toContain('this year');
  });

  it('takes a mono recording as one channel, with the text that it has otherwise', async () => {
    const url = remote.set('/mixed.wav', file(fixture(ONE_SENTENCE)));
    const [alone, mixed] = await Promise.all([createMono(), create(url, { multichannel: false })]);
    expectWhole(alone, [0]);
    expect(alone.text).toBe(mixed.text);
    expect(Object.keys(alone.speakers ?? {})).toEqual(['A']);
    expect(mixed).not.toHaveProperty('channels');
    expect(mixed.segments[0]).not.toHaveProperty('channel');
  });

  it('recognizes a range of each channel', async () => {
    const url = await talkByChannel();
    const transcript = await create(url, { audio_start_from: 7.4, audio_end_at: RANGE_END });
    expect(transcript).toMatchObject({ status: 'completed', channels: 2, duration: RANGE_END - 7.4 });
    for (const { start, end } of transcript.segments) {
      expect(start).toBeGreaterThanOrEqual(7.4);
      expect(end).toBeLessThanOrEqual(RANGE_END);
    }
    expect(textOf(transcript, 0)).toContain('agenda');
    expect(textOf(transcript, 1)).toContain('this year');
  });

  it('has a speaker in no channel that is silent', async () => {
    const transcript = await createRight();
    expect(transcript).toMatchObject({ status: 'completed', channels: 2 });
    expect(transcript.segments.every(({ channel }) => channel === 1)).toBe(true);
    expect(Object.keys(transcript.speakers ?? {})).toEqual(['B']);
  });

  it('refuses more than 8 channels with the reason', async () => {
    const path = `${temporaryFolder()}/five-tracks.mkv`;
    const tracks = Array.from({ length: 5 }, () => ['-map', '0:a']).flat();
    await ffmpeg('-i', fixturePath(ONE_SENTENCE), ...tracks, '-ac', '2', '-c:a', 'flac', path);
    const { status, error } = await create(serve(path));
    expect(status).toBe('failed');
    expect(error).toMatchObject({
      code: 'too_many_channels',
      message: expect.stringMatching(/has 10 audio channels in 5 tracks; at most 8/),
    });
  });

  it.each([
    ['diarize', { diarize: true }, 'each channel is a speaker already'],
    ['verify_with', { verify_with: 'starter' }, 'all channels at once'],
  ])('refuses %s beside it', async (path, request, reason) => {
    const refused = create('https://example.org/a.wav', request);
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path, message: expect.stringContaining(reason) }],
    });
  });

  it('keeps the channels and their speakers through another analysis, and refuses to diarize', async () => {
    const { id, segments, speakers } = await firstTurns();
    const body = { topics: true, wait_until_complete: true };
    const analyzed = await server.client.call('analyzeTranscript', { params: { id }, body });
    expect(analyzed).toMatchObject({ channels: 2, segments, speakers, topics: expect.any(Array) });
    const diarize = server.client.call('analyzeTranscript', { params: { id }, body: { diarize: true } });
    await expect(diarize).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'diarize' }] });
  });

  it('exports the channels with their speakers, in order of time', async () => {
    const transcript = await firstTurns();
    const exported = async (query: string): Promise<string> =>
      (await server.fetch(`/v1/transcript/id/${transcript.id}/export?${query}`)).text();
    const json = JSON.parse(await exported('format=json&words=true'));
    expect(json.segments.map(({ channel }: { channel: number }) => channel)).toEqual(
      transcript.segments.map(({ channel }) => channel),
    );
    const cues = parseSrt(await exported('format=srt'));
    for (const [index, { startMs }] of cues.entries()) {
      expect(startMs).toBeGreaterThanOrEqual(cues[index - 1]?.endMs ?? 0);
    }
    const shown = plainWords(cues.flatMap(({ lines }) => lines).join(' '));
    expect(shown).toEqual(expect.arrayContaining(plainWords(transcript.text)));
    const [heading, ...rows] = (await exported('format=csv')).trimEnd().split('\r\n');
    expect(heading).toBe('segment_id,start,end,speaker,channel,text');
    expect(rows.map((row) => Number(row.split(',')[4]))).toEqual(
      transcript.segments.map(({ channel }) => channel),
    );
    expect(await exported('format=csv&words=true')).toMatch(
      /^segment_id,start,end,speaker,channel,word,confidence\r\n0,[\d.]+,[\d.]+,[^,]+,\d,/,
    );
    for (const format of ['txt', 'vtt', 'md', 'docx']) {
      const response = await server.fetch(`/v1/transcript/id/${transcript.id}/export?format=${format}`);
      expect(response.status).toBe(200);
    }
  });

  it('keeps the channel of a segment through edits and their undoing', async () => {
    const { id, segments } = await firstTurns();
    const body = { segments: [{ id: 1, text: 'Something else was said.', speaker_id: 'A' }] };
    const edited = await server.client.call('patchTranscript', { params: { id }, body });
    expect(edited.segments.map(({ channel }) => channel)).toEqual(segments.map(({ channel }) => channel));
    expect(edited.segments[1]).toMatchObject({ channel: segments[1]?.channel, speaker_id: 'A' });
    expect(edited.segments[1]?.words?.every(({ channel }) => channel === segments[1]?.channel)).toBe(true);
    await server.client.call('undoEdit', { params: { id } });
    const undone = await server.client.call('getTranscript', { params: { id } });
    expect(undone.segments).toEqual(segments);
  });

  it('covers what is redacted in the sound of every track', async () => {
    const path = `${temporaryFolder()}/tracks.mka`;
    const [data, note] = ['04-personal-data.m4a', '01-short-note.wav'];
    // The third sentence of the note alone, which has a date.
    const [from, to] = [6.9, 11.4];
    await ffmpeg(
      ...['-ss', String(from), '-t', String(to - from), '-i', fixturePath(note)],
      // And of the data the e-mail address, which contains the name.
      ...['-ss', String(9.6), '-t', String(4.3), '-i', fixturePath(data)],
      ...['-filter_complex', `[1:a]adelay=${Math.ceil(to - from) * 1000}:all=1[later]`],
      ...['-map', '0:a', '-map', '[later]', '-ar', '16000', '-ac', '1', '-c:a', 'flac', path],
    );
    const redacted = await create(serve(path), { redact_pii: true, redact_pii_audio: true });
    expect(redacted).toMatchObject({ status: 'completed', channels: 2 });
    expect(redacted.redaction_report).toMatchObject({ checked: true, audible: [] });
    expect(redacted.redaction_report?.spans).toBeGreaterThan(1);
    const secrets = ['lopez', '4111', 'example.com'];
    expect(secretsIn(JSON.stringify(redacted), secrets)).toEqual([]);
    const sound = await server.fetch(new URL(redacted.redacted_audio_url ?? '').pathname);
    const url = remote.set('/covered.m4a', file(Buffer.from(await sound.arrayBuffer())));
    const heard = await create(url, { multichannel: false });
    expect(heard.duration).toBeCloseTo(redacted.duration, 0);
    expect(secretsIn(heard.text, secrets)).toEqual([]);
    expect(heard.text).toContain('deadline for the contract');
  });

  it('goes on after SIGKILL with the same result', async () => {
    const url = serve(await voiceChannels('03-three-speakers.flac', { bleed: -15, output: CUT }));
    const whole = await create(url);
    let id = '';
    const query = `SELECT count(*) FROM transcripts WHERE status = 'processing' AND checkpoint LIKE '%"streams":[{"chunk":1,%{"chunk":1,%{"chunk":0,%'`;
    const database = join(server.dataDir, 'earshot.db');
    await killOnCommit({ pid: server.pid, database, query, patienceMs: PATIENCE_MS }, async () => {
      ({ id } = await create(url, { wait_until_complete: false }));
    });
    await server.kill();
    server = await startServer({ dataDir: server.dataDir });
    const resumed = await until(async () => {
      const transcript = await server.client.call('getTranscript', { params: { id } });
      return transcript.status === 'processing' ? undefined : transcript;
    }, PATIENCE_MS);
    expectWhole(resumed, [0, 1, 2]);
    expect(resumed.segments).toEqual(whole.segments);
    expect(resumed.speakers).toEqual(whole.speakers);
  });

  it('charges for each channel', async () => {
    const [one, two] = await Promise.all([createMono(), createRight()]);
    expect(two.credits_used).toBeCloseTo(2 * one.credits_used, 1);
  });
});
