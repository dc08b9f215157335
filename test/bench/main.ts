// `npm run bench`: compares each row with whisper.cpp's own program, built from the same source, in alternating runs.
// On a shared machine only the ratios mean something.
//
//   npm run bench -- --quick    one run per row, 5 files in the queue, 5 minutes instead of 30
//   npm run bench -- --sweep    only threads by chunks in parallel; --busy=N: beside N programs that keep a core busy
//   npm run bench -- --parakeet only every English sample with the Parakeet family, beside parakeet-cli
//   npm run bench -- --vocabulary only what a list of names and terms does for them; needs espeak-ng
//   npm run bench -- --service  only the service around the engine: lists, searches, files, ranges, start and memory; --only=…
//                               names some of these (start, memory, decode, files, library, ranges); needs curl and nginx
//   npm run bench -- --peers    only the engine's parts, beside whisper.cpp, whisper-cli and, where it is installed, CTranslate2;
//                               --only=… names some of starter, base, small, turbo, avx2 (or avx2-base …) and busy

import { availableParallelism } from 'node:os';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median, memory, seconds, transcribe, upload, whisperCli } from './measure.ts';
import { compareParakeet } from './parakeet.ts';
import { comparePeers } from './peers.ts';
import { spokenWav } from './recordings.ts';
import { measureService } from './service.ts';
import { sweepParallelism } from './sweep.ts';
import { measureVocabulary } from './vocabulary.ts';

const quick = process.argv.includes('--quick');
const only = /^--only=(.*)$/m.exec(process.argv.join('\n'))?.[1];
const busy = Number(/^--busy=(\d+)$/m.exec(process.argv.join('\n'))?.[1] ?? 0);
const RUNS = quick ? 1 : 3;
const FILES = quick ? 5 : 20;
const LONG_MINUTES = quick ? 5 : 30;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const row = (name: string, earshot: number[], whisper: number[]): void => {
  const [e, w] = [median(earshot), median(whisper)];
  say(
    `${name.padEnd(44)} ${e.toFixed(1).padStart(8)} s ${w.toFixed(1).padStart(8)} s ${(w / e).toFixed(2).padStart(8)} ×`,
  );
};

/** The thread count at which whisper.cpp's program is fastest here; its default of four is too many for small machines. */
const bestThreads = async (wav: string): Promise<number> => {
  const times = new Map<number, number>();
  for (const threads of [1, Math.max(2, Math.min(4, availableParallelism()))]) {
    times.set(threads, await seconds(() => whisperCli(wav, threads)));
  }
  const best = [...times].toSorted(([, a], [, b]) => a - b)[0]?.[0] ?? 1;
  say(
    `whisper-cli: ${[...times].map(([t, s]) => `${t} threads ${s.toFixed(1)} s`).join(', ')}; compared with ${best}`,
  );
  return best;
};

const coldAndWarm = async (server: TestServer, wav: string, threads: number): Promise<void> => {
  const [cold, warm, whisper]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < RUNS; i++) {
    const fresh = await startServer();
    const own = await upload(fresh, wav);
    cold.push(await seconds(() => transcribe(fresh, own)));
    await discard(fresh);
    whisper.push(await seconds(() => whisperCli(wav, threads)));
    const url = await upload(server, wav);
    await transcribe(server, url);
    warm.push(await seconds(() => transcribe(server, url)));
  }
  row('one 60-second file, cold', cold, whisper);
  row('one 60-second file, warm', warm, whisper);
};

const queue = async (server: TestServer, wav: string, threads: number): Promise<void> => {
  const url = await upload(server, wav);
  const earshot = await seconds(() =>
    Promise.all(Array.from({ length: FILES }, () => transcribe(server, url))),
  );
  const loop = await seconds(async () => {
    for (let i = 0; i < FILES; i++) await whisperCli(wav, threads);
  });
  row(`${FILES} such files: queue against a shell loop`, [earshot], [loop]);
};

const long = async (server: TestServer, wav: string, threads: number): Promise<void> => {
  const url = await upload(server, wav);
  const samples: { server: number; worker: number }[] = [];
  const timer = setInterval(() => samples.push(memory(server)), 2000);
  const earshot = await seconds(() => transcribe(server, url));
  clearInterval(timer);
  const whisper = await seconds(() => whisperCli(wav, threads));
  row(`one ${LONG_MINUTES}-minute file`, [earshot], [whisper]);
  const quarters = [0.25, 0.5, 0.75, 0.99].map((share) => samples[Math.floor(samples.length * share)]);
  say(
    `memory at 25, 50, 75, 99 %: server ${quarters.map((q) => q?.server).join(', ')} MB; worker ${quarters.map((q) => q?.worker).join(', ')} MB`,
  );
};

const compareService = async (folder: string): Promise<void> => {
  const minute = await spokenWav(folder, 'minute', 60);
  const longWav = await spokenWav(folder, 'long', LONG_MINUTES * 60);
  say(
    `Earshot beside whisper.cpp's own program; starter model, beam 5; ${availableParallelism()} cores; median of ${RUNS}`,
  );
  const threads = await bestThreads(minute);
  say(`${''.padEnd(44)} ${'Earshot'.padStart(10)} ${'whisper'.padStart(10)} ${'faster'.padStart(10)}`);
  const server = await startServer();
  await coldAndWarm(server, minute, threads);
  await queue(server, minute, threads);
  await long(server, longWav, threads);
  await discard(server);
};

// Its folder goes at the process's exit, which a signal alone would not bring about.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const folder = temporaryFolder();
if (process.argv.includes('--sweep')) await sweepParallelism(folder, RUNS, busy);
else if (process.argv.includes('--peers')) await comparePeers(folder, quick, only);
else if (process.argv.includes('--vocabulary')) await measureVocabulary();
else if (process.argv.includes('--parakeet')) await compareParakeet(RUNS);
else if (process.argv.includes('--service')) await measureService(folder, quick, only);
else await compareService(folder);
