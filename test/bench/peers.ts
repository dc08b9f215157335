// `npm run bench -- --peers [--quick] [--only=PART,…] [--rounds=N]`: the engine's parts beside other engines, in alternating
// runs.

import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { STARTER_MODEL } from '../support/paths.ts';
import { onBusyCores } from './busy-cores.ts';
import { writeCtranslate2Model } from './ctranslate2-model.ts';
import { selectParts } from './parts.ts';
import { alternating, BEAM, ctranslate2Bench, type PeerModel, peersFor, type Work } from './peer-programs.ts';
import { BUSY_HEADER, busyRow, PEER_HEADER, peerRow } from './peer-table.ts';
import { SHAPES, writeRandomModel } from './random-model.ts';
import { spokenWav } from './recordings.ts';

const run = promisify(execFile);

/** `file` is for models that write text: random ones have none to measure. */
type Kind = 'encoder' | 'beam' | 'greedy' | 'file';
type ModelName = 'starter' | 'base' | 'small' | 'turbo';
type Goals = Partial<Record<Kind, number>>;
/** What the parts share: where models go, what CTranslate2 is measured with, and the recording in both forms. */
type Setting = {
  readonly folder: string;
  readonly program: string | undefined;
  readonly wav: string;
  readonly samples: string;
  /** Runs of each measurement. */
  readonly rounds: number;
};
export type PeerOptions = {
  readonly quick: boolean;
  readonly only?: string | undefined;
  /** Default 3; 1 if quick. */
  readonly rounds?: number | undefined;
};
type Row = { readonly header: readonly string[]; readonly cells: readonly string[] };
type Part = { readonly minutes: number; readonly rows: (setting: Setting) => AsyncGenerator<Row> };

const NAMES: Readonly<Record<Kind, string>> = {
  encoder: 'encoder, 30 s',
  beam: `token, beam of ${BEAM}`,
  greedy: 'token, greedy',
  file: '60 s of speech',
};
/** Of our processor time to CTranslate2's, with one thread. */
const GOALS: Readonly<Record<ModelName, Goals>> = {
  starter: { file: 1 },
  base: { encoder: 0.9, beam: 1 },
  small: { encoder: 0.9, beam: 1 },
  turbo: {},
};
const AVX2_GOAL = 1.2;
/** Of the processor time of a token with two threads to that with one. */
const BUSY_GOAL = 1.3;
const SHAPE_OF = { base: 'base', small: 'small', turbo: 'large-v3-turbo' } as const;
const QUICK = 'starter,base,busy';
const ROUNDS = 3;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const load = (): number => loadavg()[0] ?? 0;

/** The models of a part. CTranslate2 has 8-bit weights of the same numbers. */
const modelsOf = async (name: ModelName, { folder, program }: Setting): Promise<PeerModel[]> => {
  const ctranslate2 = join(folder, name);
  const ggml = join(folder, `${name}-q8_0.bin`);
  if (name === 'starter') {
    if (program) writeCtranslate2Model(STARTER_MODEL, ctranslate2);
    return [{ name: 'starter, f16', ggml: STARTER_MODEL, ctranslate2 }];
  }
  const shape = SHAPE_OF[name];
  writeRandomModel(ggml, SHAPES[shape], 'q8_0');
  if (program) writeCtranslate2Model(ggml, ctranslate2);
  return [{ name: `${shape}, q8_0`, ggml, ctranslate2 }];
};

/** Makes a part's models, and removes them afterwards: large-v3-turbo takes 0.9 GB in each form. */
async function* withModels<T>(
  name: ModelName,
  setting: Setting,
  use: (model: PeerModel) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  try {
    for (const model of await modelsOf(name, setting)) yield* use(model);
  } finally {
    rmSync(join(setting.folder, `${name}-q8_0.bin`), { force: true });
    rmSync(join(setting.folder, name), { recursive: true, force: true });
  }
}

const workOf = (kind: Kind, samples: string): Work => {
  if (kind === 'encoder') return { mode: 'encode', rest: [] };
  if (kind === 'file') return { mode: 'file', rest: [BEAM, samples] };
  return { mode: 'token', rest: [kind === 'beam' ? BEAM : '1'] };
};

async function* modelRows(name: ModelName, avx2: boolean, setting: Setting): AsyncGenerator<Row> {
  const isLarge = name === 'turbo';
  const rounds = isLarge ? 1 : setting.rounds;
  const peers = await peersFor({ avx2, original: !avx2 && !isLarge }, setting);
  const kinds: readonly Kind[] = [
    'encoder',
    'beam',
    'greedy',
    ...(name === 'starter' ? ['file' as const] : []),
  ];
  yield* withModels(name, setting, async function* (model) {
    for (const threads of [1, 2]) {
      for (const kind of kinds) {
        const work = workOf(kind, setting.samples);
        // On busy cores the threads of whisper.cpp as released spin: a token took 238 ms instead of 8.
        const some = [...peers].filter(([peer]) => threads === 1 || peer !== 'whisper.cpp');
        const measurements = some.map(
          ([peer, measure]) => [peer, () => measure(work, model, threads)] as const,
        );
        const times = await alternating(new Map(measurements), rounds);
        const title = [
          model.name,
          ...(avx2 ? ['AVX2 alone'] : []),
          `${threads} thread${threads > 1 ? 's' : ''}`,
          NAMES[kind],
        ].join(', ');
        const own = GOALS[name][kind];
        const goal = threads > 1 || own === undefined ? undefined : avx2 ? AVX2_GOAL : own;
        yield { header: PEER_HEADER, cells: peerRow(title, times, goal, load()) };
      }
    }
  });
}

/** A token of the beam with one and with two threads in turn, while every core is busy with something else. */
async function* busyRows(setting: Setting): AsyncGenerator<Row> {
  const peers = await peersFor({ avx2: false, original: false }, setting);
  const work = workOf('beam', setting.samples);
  for (const name of ['starter', 'base'] as const) {
    yield* withModels(name, setting, async function* (model) {
      for (const engine of ['Earshot', 'CTranslate2'] as const) {
        const peer = peers.get(engine);
        const measure = (threads: number) => async () =>
          peer && onBusyCores(() => peer(work, model, threads));
        const times = await alternating(
          new Map([1, 2].map((threads) => [threads, measure(threads)])),
          setting.rounds,
        );
        const goal = engine === 'Earshot' ? BUSY_GOAL : undefined;
        const title = `busy cores, ${model.name}, ${NAMES.beam}, ${engine}`;
        yield { header: BUSY_HEADER, cells: busyRow(title, times.get(1), times.get(2), goal, load()) };
      }
    });
  }
}

/** Parts in the order of the table, with how long each takes on two idle cores if CTranslate2 is installed. */
export const PARTS: Readonly<Record<string, Part>> = {
  starter: { minutes: 4, rows: (setting) => modelRows('starter', false, setting) },
  base: { minutes: 2, rows: (setting) => modelRows('base', false, setting) },
  small: { minutes: 5, rows: (setting) => modelRows('small', false, setting) },
  turbo: { minutes: 4, rows: (setting) => modelRows('turbo', false, setting) },
  'avx2-starter': { minutes: 3, rows: (setting) => modelRows('starter', true, setting) },
  'avx2-base': { minutes: 1, rows: (setting) => modelRows('base', true, setting) },
  'avx2-small': { minutes: 3, rows: (setting) => modelRows('small', true, setting) },
  'avx2-turbo': { minutes: 5, rows: (setting) => modelRows('turbo', true, setting) },
  busy: { minutes: 3, rows: busyRows },
};

const introduce = (parts: readonly string[], setting: Setting): void => {
  const minutes =
    (parts.reduce((sum, part) => sum + (PARTS[part]?.minutes ?? 0), 0) * setting.rounds) / ROUNDS;
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, load ${load().toFixed(1)}`;
  say(`${new Date().toISOString().slice(0, 10)}, ${machine}. Parts: ${parts.join(', ')}.`);
  say(`Takes about ${Math.ceil(minutes)} minutes on two idle cores, and up to 2 GB in ${setting.folder}.`);
  if (setting.program === undefined)
    say('CTranslate2: not here (EARSHOT_CTRANSLATE2 names the folder that it is installed in).');
  const runs = setting.rounds === 1 ? 'one run' : `medians of ${setting.rounds} alternating runs`;
  say(`Milliseconds of processor time (elapsed), ${runs}; large-v3-turbo: one run.`);
};

/**
 * The engine's parts beside whisper.cpp as released, and beside CTranslate2 with 8-bit weights if it is installed. Base,
 * small and large-v3-turbo have random weights: speed needs no trained ones, but a text does, so the recording is for the
 * starter model alone.
 */
export const comparePeers = async (
  folder: string,
  { quick, only, rounds = quick ? 1 : ROUNDS }: PeerOptions,
): Promise<void> => {
  const parts = selectParts(Object.keys(PARTS), only ?? (quick ? QUICK : undefined)).filter(
    (part) => process.arch === 'x64' || !part.startsWith('avx2'),
  );
  const wav = await spokenWav(folder, 'peers', 60);
  const samples = join(folder, 'peers.f32');
  await run('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-ac', '1', '-ar', '16000', '-f', 'f32le', samples]);
  const setting: Setting = { folder, program: await ctranslate2Bench(folder), wav, samples, rounds };
  introduce(parts, setting);
  let header: readonly string[] = [];
  for (const part of parts) {
    for await (const row of PARTS[part]?.rows(setting) ?? []) {
      if (row.header !== header) {
        header = row.header;
        say(`\n| ${header.join(' | ')} |\n|${' --- |'.repeat(header.length)}`);
      }
      say(`| ${row.cells.join(' | ')} |`);
    }
  }
  say(`\nLoad ${load().toFixed(1)} at the end.`);
};
