import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { breadth } from '../support/breadth.ts';
import { fixture, fixturePath, RECORDINGS, truth } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { whisperCliText } from '../support/whisper-cli.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';

/** Each language, several speakers, entities, a pause, silence and noise. The others are longer, of the same kinds. */
const CORE: readonly string[] = [
  '01-short-note.wav',
  '02-two-speakers.mp3',
  '05-spanish.ogg',
  '06-german.webm',
  '07-french-video.mp4',
  '09-silence.wav',
  '10-noise.ogg',
  '11-news-and-entities.wav',
  '13-long-pause.wav',
];
const HEARD = breadth(CORE, RECORDINGS);
const SILENT: readonly string[] = ['09-silence.wav', '10-noise.ogg'];

let server: TestServer;
let remote: UrlServer;
/** What Earshot made of each recording, over HTTP. */
const heard = new Map<string, Transcription>();

const transcribed = (name: string): Transcription => {
  const transcript = heard.get(name);
  if (transcript === undefined) throw new Error(`${name} was not transcribed.`);
  return transcript;
};

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer(), startUrlServer()]);
  for (const name of HEARD) {
    const audio_url = remote.set(`/${name}`, file(fixture(name)));
    const body = { audio_url, wait_until_complete: true };
    heard.set(name, await server.client.call('createTranscript', { body }));
  }
}, 600_000);
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

it.each(HEARD.filter((name) => !SILENT.includes(name)))('is understood, in its language: %s', (name) => {
  const { status, language, text } = transcribed(name);
  expect([status, language]).toEqual(['completed', truth(name).language]);
  const said = plainWords(truth(name).text);
  expect(wordErrors(said, plainWords(text)) / said.length).toBeLessThan(0.13);
});

it.each(SILENT)('invents nothing in %s', (name) => {
  const nothing = { status: 'completed', text: '', segments: [], word_count: 0, confidence: null };
  expect(transcribed(name)).toMatchObject(nothing);
});

it('keeps a pause: nothing is said in it', () => {
  const { segments } = transcribed('13-long-pause.wav');
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
    const said = plainWords(truth(name).text);
    const earshot = wordErrors(said, plainWords(transcribed(name).text));
    const whisper = wordErrors(said, plainWords(await whisperCliText(fixturePath(name))));
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
