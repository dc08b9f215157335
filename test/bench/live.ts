import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RealtimeWord } from '../../electron/contract/realtime.ts';
import { concatSamples, SAMPLE_RATE, toSamples, wavHeader } from '../../electron/core/base/audio.ts';
import { RealtimeClient } from '../support/realtime.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { wordErrors } from '../support/word-error-rate.ts';
import { costTo, transcribe, upload } from './measure.ts';
import { clipSamples, isSilent, isSpoken, readClips } from './speech/corpus.ts';
import { unitsOf } from './speech/normalize.ts';

const LANGUAGES = ['en', 'de'];
/** Between two clips: a speaker draws breath. Seconds. */
const PAUSE = 1.2;
/** A voice far from the microphone: every so many clips, by so much. */
const QUIET_EVERY = 5;
const QUIET_GAIN = 10 ** (-24 / 20);
/** Seconds of one that has no speech in it, every so many clips. */
const NOISE_EVERY = 6;
const NOISE_SECONDS = 8;
/** Clips of a language follow one another. */
const TURN_OF_LANGUAGE = 4;
const FRAME_SECONDS = 0.1;

type Said = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly language: string;
};

/** Clips of several languages joined with pauses, noise and quiet voices. */
const joinClips = async (folder: string, minutes: number) => {
  const clips = readClips(folder);
  const silent = clips.filter(isSilent);
  const byLanguage = LANGUAGES.map((language) =>
    clips.filter(
      (clip) => isSpoken(clip) && clip.language === language && clip.duration >= 2 && clip.duration <= 12,
    ),
  );
  const parts: Float32Array[] = [];
  const said: Said[] = [];
  const noise: { start: number; end: number }[] = [];
  let samples = 0;
  const add = (pcm: Float32Array) => {
    parts.push(pcm, new Float32Array(toSamples(PAUSE)));
    samples += pcm.length + toSamples(PAUSE);
  };
  for (let index = 0; samples / SAMPLE_RATE < minutes * 60; index++) {
    const list = byLanguage[Math.floor(index / TURN_OF_LANGUAGE) % byLanguage.length] ?? [];
    // Far apart in the folder, so that voices change.
    const clip = list[(index * 7) % Math.max(1, list.length)];
    if (clip === undefined) throw new Error(`${folder} has no clips in ${LANGUAGES.join(' and ')}.`);
    const start = samples / SAMPLE_RATE;
    const pcm = await clipSamples(folder, clip);
    add(index % QUIET_EVERY === QUIET_EVERY - 1 ? pcm.map((sample) => sample * QUIET_GAIN) : pcm);
    said.push({
      start,
      end: start + pcm.length / SAMPLE_RATE,
      text: clip.text ?? '',
      language: clip.language,
    });
    const other = silent[Math.floor(index / NOISE_EVERY) % Math.max(1, silent.length)];
    if (index % NOISE_EVERY !== NOISE_EVERY - 1 || other === undefined) continue;
    const from = samples / SAMPLE_RATE;
    add((await clipSamples(folder, other)).slice(0, toSamples(NOISE_SECONDS)));
    noise.push({ start: from, end: samples / SAMPLE_RATE });
  }
  return { pcm: concatSamples(parts), said, noise };
};

/** Word errors over true words, clip by clip: a word belongs to the clip in which its middle lies. */
const errorRate = (
  said: readonly Said[],
  words: readonly Pick<RealtimeWord, 'word' | 'start' | 'end'>[],
): number => {
  let [errors, total] = [0, 0];
  for (const [index, { text, language }] of said.entries()) {
    const from = index === 0 ? 0 : (said[index]?.start ?? 0) - PAUSE / 2;
    const to = (said[index + 1]?.start ?? Infinity) - PAUSE / 2;
    const own = words.filter(({ start, end }) => (start + end) / 2 >= from && (start + end) / 2 < to);
    const truth = unitsOf(text, language);
    errors += wordErrors(truth, unitsOf(own.map(({ word }) => word).join(' '), language));
    total += truth.length;
  }
  return errors / Math.max(1, total);
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

/** Speaks at real-time pace; returns what was committed, and how long after its end each word was. */
const speakLive = async (server: TestServer, pcm: Float32Array) => {
  const client = await RealtimeClient.open(server);
  client.say({ type: 'start' });
  const { session_id: id } = await client.next('session.started');
  const startedAt = performance.now();
  const latencies: number[] = [];
  client.socket.on('message', (data) => {
    const message: unknown = JSON.parse(String(data));
    const words = client.of('words.committed').at(-1)?.words ?? [];
    if (!JSON.stringify(message).startsWith('{"type":"words.committed"')) return;
    for (const { end } of words) latencies.push((performance.now() - startedAt) / 1000 - end);
  });
  const frame = toSamples(FRAME_SECONDS);
  for (let at = 0; at < pcm.length; at += frame) {
    // A frame is sent once it has been spoken.
    const due = ((at + frame) / SAMPLE_RATE) * 1000 - (performance.now() - startedAt);
    if (due > 0) await delay(due);
    await client.speak(pcm.subarray(at, at + frame), frame);
  }
  client.say({ type: 'finish' });
  await client.next('session.ended');
  const committed = client.of('words.committed').flatMap(({ words }) => words);
  const ended = client.of('turn.ended').flatMap(({ words }) => words);
  const changed = ended.filter(
    (word, index) => JSON.stringify(word) !== JSON.stringify(committed[index]),
  ).length;
  return {
    id,
    committed,
    changed: changed + Math.abs(committed.length - ended.length),
    notices: client.of('notice').length,
    latencies: latencies.toSorted((a, b) => a - b),
  };
};

const wordsOfTranscript = async (server: TestServer, id: string) => {
  const transcript = await until(async () => {
    const found = await server.client.call('getTranscript', { params: { id } });
    return found.status === 'processing' ? undefined : found;
  }, 1_200_000);
  const { data } = await server.client.call('getSentences', { params: { id } });
  return { transcript, words: data.sentences.flatMap(({ words }) => words) };
};

/** Live sessions on real speech: latency, accuracy beside the pass for files, and processor time. */
export const measureLive = async (folder: string, work: string, minutes: number): Promise<void> => {
  const { pcm, said, noise } = await joinClips(folder, minutes);
  const seconds = pcm.length / SAMPLE_RATE;
  const say = (text: string) => process.stdout.write(`${text}\n`);
  say(
    `${(seconds / 60).toFixed(1)} minutes at real-time pace: ${said.length} clips, ${noise.length} of noise`,
  );
  const server = await startServer({ args: [] });
  let live: Awaited<ReturnType<typeof speakLive>> | undefined;
  const cost = await costTo(server.pid, async () => {
    live = await speakLive(server, pcm);
  });
  if (live === undefined) throw new Error('The session gave nothing.');
  const { id, committed, changed, notices, latencies } = live;
  const invented = committed.filter(({ start, end }) =>
    noise.some((each) => (start + end) / 2 > each.start && (start + end) / 2 < each.end),
  );
  const final = await wordsOfTranscript(server, id);
  const wav = join(work, 'live.wav');
  const samples = Buffer.from(Int16Array.from(pcm, (sample) => Math.round(sample * 0x7fff)).buffer);
  writeFileSync(wav, Buffer.concat([wavHeader(samples.length), samples]));
  const url = await upload(server, wav);
  await transcribe(server, url);
  const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
  const file = await wordsOfTranscript(server, data.transcriptions[0]?.id ?? '');
  await discard(server);

  const rate = (words: readonly Pick<RealtimeWord, 'word' | 'start' | 'end'>[]) =>
    `${(100 * errorRate(said, words)).toFixed(1)} %`;
  say(
    `from the end of a word to its commit: median ${percentile(latencies, 0.5).toFixed(2)} s, 95 % ${percentile(latencies, 0.95).toFixed(2)} s, most ${percentile(latencies, 1).toFixed(2)} s`,
  );
  say(
    `words: ${committed.length} committed, ${changed} changed after their commit, ${invented.length} in noise; ${notices} notices`,
  );
  say(
    `word error rate: live ${rate(committed)}, at the end ${rate(final.words)}, as a file ${rate(file.words)}`,
  );
  say(`processor time while live: ${(cost.cpu / seconds).toFixed(2)} of a core`);
};
