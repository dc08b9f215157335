import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { median, quantile } from '../bench/measure.ts';
import { fixture, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { timedRecording, timeErrors } from '../support/word-times.ts';

// Transcription is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const RECORDING = timedRecording('2-en');

let server: TestServer;
let remote: UrlServer;

const create = async (
  fields: object,
  audio: Buffer = readFileSync(RECORDING.path),
): Promise<Transcription> => {
  const audio_url = remote.set('/recording.ogg', file(audio));
  const body = {
    audio_url,
    language: 'en',
    timestamp_style: 'word' as const,
    wait_until_complete: true,
    ...fields,
  };
  return server.client.call('createTranscript', { body });
};

const wordsOf = ({ segments }: Transcription) => segments.flatMap(({ words = [] }) => words);

const errorsOf = (transcript: Transcription, onlyBetween = false): number[] => {
  const { starts, ends } = timeErrors(RECORDING.words, wordsOf(transcript), { onlyBetween });
  expect(starts.length).toBeGreaterThan(onlyBetween ? 15 : 25);
  return [...starts, ...ends].map(Math.abs);
};

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer(), startUrlServer()]);
  // Times do not depend on how many texts are compared.
  await server.client.call('patchSettings', { body: { 'engine.beamSize': 1 } });
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

it('aligns words with the sound, and estimates them only where that is asked for', async () => {
  const [aligned, fast] = [await create({}), await create({ word_times: 'fast' })];
  expect(aligned.text).toBe(fast.text);
  expect(median(errorsOf(aligned))).toBeLessThan(40);
  expect(quantile(errorsOf(aligned), 0.9)).toBeLessThan(150);
  expect(quantile(errorsOf(aligned, true), 0.95)).toBeLessThan(150);
  expect(median(errorsOf(fast))).toBeGreaterThan(2 * median(errorsOf(aligned)));

  const times = wordsOf(aligned).flatMap(({ start, end }) => [start, end]);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const { start, end, words } of aligned.segments) {
    expect([start, end]).toEqual([words?.[0]?.start, words?.at(-1)?.end]);
  }
});

it('places no word in a pause', async () => {
  const transcript = await create({}, fixture('13-long-pause.wav'));
  const [, before, after] = transcript.segments;
  // The silence is 9.83 s long.
  expect((after?.start ?? 0) - (before?.end ?? 0)).toBeGreaterThan(9.6);
});

it('leaves exact times as the model writes them', async () => {
  const model = 'starter-parakeet';
  const audio = fixture(ONE_SENTENCE);
  const [aligned, fast] = [
    await create({ model, word_times: 'aligned' }, audio),
    await create({ model, word_times: 'fast' }, audio),
  ];
  expect(wordsOf(aligned).length).toBeGreaterThan(5);
  expect(wordsOf(aligned)).toEqual(wordsOf(fast));
});

it('refuses what it does not know', async () => {
  await expect(create({ word_times: 'exact' })).rejects.toMatchObject({ status: 400 });
});
