import { SAMPLE_RATE } from '../../electron/core/base/audio.ts';
import { cosine } from '../../electron/core/base/vectors.ts';
import { createDiarizer } from '../../electron/core/engines/diarizer/diarizer.ts';
import { RecordingDiarizer } from '../../electron/core/engines/diarizer/recording-diarizer.ts';
import { loadSherpa } from '../../electron/core/engines/diarizer/sherpa.ts';
import type { Diarization } from '../../electron/core/engines/diarizer/types.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/process.ts';
import { scoreDiarization } from '../support/diarization-error.ts';
import { WORKER_ENTRY } from '../support/paths.ts';
import { speakerModels } from '../support/speaker-models.ts';
import { type Conversation, conversation, joined } from './joined.ts';
import { largestChild } from './measure.ts';

const RECORDINGS = [
  'talk-1-two-voices.flac',
  'talk-2-three-voices.flac',
  'talk-3-new-voices.flac',
  '02-two-speakers.mp3',
  '03-three-speakers.flac',
  '08-meeting-4min.mp3',
];
const LONG = [
  { name: '35 minutes, 3 voices', parts: ['talk-2-three-voices.flac'], minutes: 35 },
  { name: '35 minutes, 4 voices', parts: ['08-meeting-4min.mp3'], minutes: 35 },
  { name: '65 minutes, 8 voices', parts: RECORDINGS.slice(0, 3), minutes: 65 },
];

const BLOCK = 60 * 16_000;
const diarize = createDiarizer(forkNodeWorker(WORKER_ENTRY));

async function* blocksOf(pcm: Float32Array) {
  for (let at = 0; at < pcm.length; at += BLOCK) yield { pcm: pcm.slice(at, at + BLOCK) };
}

const run = ({ pcm }: Conversation, speakers: number | null): Promise<Diarization> =>
  diarize(blocksOf(pcm), { models: speakerModels, speakers, signal: new AbortController().signal });

const speakersIn = (turns: readonly { speaker: string | number }[]): number =>
  new Set(turns.map((turn) => turn.speaker)).size;

const percent = (value: number) => `${(value * 100).toFixed(1)} %`.padStart(8);

const printRow = async (name: string, talk: Conversation): Promise<Diarization> => {
  const count = speakersIn(talk.truth);
  const given = await run(talk, count);
  const found = await run(talk, null);
  const [a, b] = [given, found].map(({ turns }) => percent(scoreDiarization(talk.truth, turns)));
  console.log(`${name.padEnd(28)} ${count}         ${a}  ${b}   (${speakersIn(found.turns)})`);
  return given;
};

/** The synthesized voice that a detected speaker mostly overlaps. */
const voiceOf = ({ turns }: Diarization, speaker: number, { truth }: Conversation): string => {
  const seconds = new Map<string, number>();
  for (const turn of turns.filter((own) => own.speaker === speaker)) {
    for (const { start, end, speaker: voice } of truth) {
      const shared = Math.min(end, turn.end) - Math.max(start, turn.start);
      if (shared > 0) seconds.set(String(voice), (seconds.get(String(voice)) ?? 0) + shared);
    }
  }
  return [...seconds].toSorted(([, x], [, y]) => y - x)[0]?.[0] ?? '';
};

type Heard = { readonly recording: string; readonly voice: string; readonly embedding: Float32Array };

/** Prints the cosine similarity of the same voice in two recordings, and of different voices. */
const printVoices = (heard: readonly Heard[]): void => {
  const [same, different]: [number[], number[]] = [[], []];
  for (const [i, a] of heard.entries()) {
    for (const b of heard.slice(i + 1)) {
      if (a.voice === b.voice && a.recording === b.recording) continue;
      (a.voice === b.voice ? same : different).push(cosine(a.embedding, b.embedding));
    }
  }
  const row = (values: number[]): string => {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(3);
    return `${String(sorted.length).padStart(4)} pairs: least ${at(0)}, middle ${at(0.5)}, most ${at(1)}`;
  };
  console.log(`\nsimilarity of the same voice in two recordings ${row(same)}`);
  console.log(`similarity of different voices                 ${row(different)}`);
};

const SHIFTS = [0.1, 0.25, 0.5];

/** Prints processor time and error for steps of the segmentation's window, in this process, on one thread. */
const printShifts = async (long: boolean): Promise<void> => {
  const sherpa = loadSherpa();
  const talks = await Promise.all(RECORDINGS.map(async (name) => ({ name, talk: await conversation(name) })));
  if (long)
    for (const { name, parts, minutes } of LONG) talks.push({ name, talk: await joined(parts, minutes) });
  console.log(
    `\n${'recording'.padEnd(28)} speakers  shift  processor time   × real time    error   (count found)`,
  );
  for (const { name, talk } of talks) {
    const seconds = talk.pcm.length / SAMPLE_RATE;
    for (const windowShiftRatio of SHIFTS) {
      const before = process.cpuUsage();
      const diarizer = new RecordingDiarizer(sherpa, { ...speakerModels, windowShiftRatio });
      for await (const { pcm } of blocksOf(talk.pcm)) diarizer.add(pcm);
      const { turns } = diarizer.finish(null);
      const { user, system } = process.cpuUsage(before);
      const took = (user + system) / 1e6;
      const error = percent(scoreDiarization(talk.truth, turns));
      console.log(
        `${name.padEnd(28)} ${String(speakersIn(talk.truth)).padStart(4)}     ${windowShiftRatio.toFixed(2)}   ` +
          `${took.toFixed(2).padStart(9)} s   ${(seconds / took).toFixed(0).padStart(10)}  ${error}   (${speakersIn(turns)})`,
      );
    }
  }
};

const HOURS = 3;

/** Prints the diarizer's memory over hours of audio, which it processes in half-hour blocks. */
const printMemory = async (): Promise<void> => {
  const { pcm } = await joined(['08-meeting-4min.mp3'], HOURS * 60);
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(largestChild(process.pid)), 500);
  const started = performance.now();
  let speakers = 0;
  try {
    const result = await run({ pcm, truth: [] }, null);
    speakers = speakersIn(result.turns);
  } finally {
    clearInterval(timer);
  }
  const took = (performance.now() - started) / 1000;
  const blocks = HOURS * 2;
  const peaks = Array.from({ length: blocks }, (_, n) => {
    const part = samples.slice((n * samples.length) / blocks, ((n + 1) * samples.length) / blocks);
    return Math.max(...part);
  });
  console.log(
    `\n${HOURS} hours in ${took.toFixed(0)} s (${((HOURS * 3600) / took).toFixed(0)} × real time), ${speakers} speakers;` +
      ` most memory in each sixth: ${peaks.join(', ')} MB`,
  );
};

/**
 * Prints the diarization error rate (0.25 s collar, overlap scored, optimal mapping) of the conversations with the number
 * of speakers given and detected, and the similarity of voices. `long` adds conversations of up to hours.
 */
export const printDiarization = async (long: boolean): Promise<void> => {
  console.log(`\n${'diarization error rate'.padEnd(28)} speakers     given     found   (count found)`);
  const heard: Heard[] = [];
  for (const name of RECORDINGS) {
    const talk = await conversation(name);
    const result = await printRow(name, talk);
    heard.push(
      ...result.embeddings.map(({ speaker, embedding }) => ({
        recording: name,
        voice: voiceOf(result, speaker, talk),
        embedding,
      })),
    );
  }
  printVoices(heard);
  if (!long) return;
  console.log('');
  for (const { name, parts, minutes } of LONG) await printRow(name, await joined(parts, minutes));
  await printMemory();
};

if (import.meta.main) {
  const long = process.argv.includes('--long');
  if (process.argv.includes('--shifts')) await printShifts(long);
  else await printDiarization(long);
}
