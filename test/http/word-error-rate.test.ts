import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { wav } from '../support/audio.ts';
import { fixturePath, truth } from '../support/fixtures.ts';
import { firstSentences } from '../support/pcm.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { whisperCliText } from '../support/whisper-cli.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';

/**
 * Each language (English with a pause), silence and noise, with the sentences that are heard of those that go on in the same
 * way. The others are in English; the short note is in the tests of transcripts, to the letter.
 */
const SENTENCES: Readonly<Record<string, number | undefined>> = {
  '05-spanish.ogg': 4,
  '06-german.webm': 4,
  '07-french-video.mp4': 5,
  '09-silence.wav': undefined,
  '10-noise.ogg': undefined,
  '13-long-pause.wav': undefined,
};
const HEARD = Object.keys(SENTENCES);
const SILENT: readonly string[] = ['09-silence.wav', '10-noise.ogg'];

/** A recording, or what is heard of it, and the words that are said in it. */
const soundOf = (name: string): { path: string; said: string[] } => {
  const count = SENTENCES[name];
  if (count === undefined) return { path: fixturePath(name), said: plainWords(truth(name).text) };
  const { pcm, text } = firstSentences(name, count);
  const path = join(temporaryFolder(), `${name}.wav`);
  writeFileSync(path, wav(Int16Array.from(pcm, (sample) => Math.round(sample * 32_767))));
  return { path, said: plainWords(text) };
};

let server: TestServer;
let remote: UrlServer;
/** What Earshot made of each recording, over HTTP. */
const heard = new Map<string, ReturnType<typeof soundOf> & { readonly transcript: Transcription }>();

const transcribed = (name: string) => {
  const recording = heard.get(name);
  if (recording === undefined) throw new Error(`${name} was not transcribed.`);
  return recording;
};

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer(), startUrlServer()]);
  for (const name of HEARD) {
    const sound = soundOf(name);
    const audio_url = remote.set(`/${name}`, file(readFileSync(sound.path)));
    const body = { audio_url, wait_until_complete: true };
    heard.set(name, { ...sound, transcript: await server.client.call('createTranscript', { body }) });
  }
}, 600_000);
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

it.each(HEARD.filter((name) => !SILENT.includes(name)))('is understood, in its language: %s', (name) => {
  const { said, transcript } = transcribed(name);
  const { status, language, text } = transcript;
  expect([status, language]).toEqual(['completed', truth(name).language]);
  expect(wordErrors(said, plainWords(text)) / said.length).toBeLessThan(0.13);
});

it.each(SILENT)('invents nothing in %s', (name) => {
  const nothing = { status: 'completed', text: '', segments: [], word_count: 0, confidence: null };
  expect(transcribed(name).transcript).toMatchObject(nothing);
});

it('keeps a pause: nothing is said in it', () => {
  const { segments } = transcribed('13-long-pause.wav').transcript;
  const gaps = segments.slice(1).map((segment, index) => segment.start - (segments[index]?.end ?? 0));
  expect(Math.max(...gaps)).toBeGreaterThan(9);
  for (const [index, { start, end }] of truth('13-long-pause.wav').sentences.entries()) {
    expect(Math.abs((segments[index]?.start ?? 0) - start)).toBeLessThan(0.5);
    expect(Math.abs((segments[index]?.end ?? 0) - end)).toBeLessThan(0.5);
  }
});

it('from HTTP to text, the word error rate is that of whisper.cpp’s own program to within a point', async () => {
  const sums = { words: 0, earshot: 0, whisper: 0 };
  const rows: string[] = [];
  for (const name of HEARD) {
    const { path, said, transcript } = transcribed(name);
    const earshot = wordErrors(said, plainWords(transcript.text));
    const whisper = wordErrors(said, plainWords(await whisperCliText(path)));
    sums.words += said.length;
    sums.earshot += earshot;
    sums.whisper += whisper;
    rows.push(
      `${name.padEnd(28)} ${String(said.length).padStart(5)} words  Earshot ${earshot}  whisper.cpp ${whisper}`,
    );
  }
  const rate = (errors: number) => (100 * errors) / sums.words;
  rows.push(
    `word error rate: Earshot ${rate(sums.earshot).toFixed(2)} %, whisper.cpp ${rate(sums.whisper).toFixed(2)} %`,
  );
  console.log(rows.join('\n'));
  expect(rate(sums.earshot)).toBeLessThanOrEqual(rate(sums.whisper) + 1);
}, 900_000);
