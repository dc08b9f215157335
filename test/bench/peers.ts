import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildEngineBench } from '../../native/build.mjs';
import { testWhisperCli } from '../support/addon.ts';
import { ROOT, STARTER_MODEL } from '../support/paths.ts';
import { writeCtranslate2Model } from './ctranslate2-model.ts';
import { cpuOf, median } from './measure.ts';
import { type Shape, writeRandomModel } from './random-model.ts';
import { spokenWav } from './recordings.ts';

const run = promisify(execFile);
const BEAM = '5';

/** Milliseconds. */
type Times = { readonly cpu: number; readonly wall: number };
type Model = { readonly name: string; readonly ggml: string; readonly ctranslate2: string };
type Recording = { readonly wav: string; readonly samples: string };
type Row = { readonly name: string; readonly mode: 'encode' | 'token' | 'file'; readonly rest: string[] };
/** Measures a row; undefined where the program has no such part. */
type Peer = (row: Row, model: Model, threads: number) => Promise<Times> | undefined;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** A program with the arguments of native/bench/engine_bench.cc. */
const benchProgram =
  (program: string, modelOf: (model: Model) => string): Peer =>
  async ({ mode, rest }, model, threads) => {
    // OpenMP's threads, which CTranslate2 has, would spin while they wait.
    const env = { ...process.env, OMP_WAIT_POLICY: 'passive' };
    const { stdout } = await run(program, [mode, modelOf(model), `${threads}`, ...rest], { env });
    return JSON.parse(stdout);
  };

/** The whole program, which also loads the model. */
const whisperCli =
  (program: string, { wav }: Recording): Peer =>
  ({ mode }, { ggml }, threads) => {
    if (mode !== 'file') return undefined;
    const args = ['-m', ggml, '-f', wav, '-np', '-l', 'en', '-bs', BEAM, '-nf', '-t', `${threads}`];
    const start = performance.now();
    return cpuOf(program, args).then(({ cpu }) => ({ cpu: 1000 * cpu, wall: performance.now() - start }));
  };

/** Compiles our program for CTranslate2 against an installation of it. */
const ctranslate2Bench = async (installation: string, folder: string): Promise<string> => {
  const program = join(folder, 'ctranslate2-bench');
  const source = join(ROOT, 'native', 'bench', 'ctranslate2_bench.cc');
  const libraries = join(installation, 'lib');
  await run('c++', [
    ...['-O2', '-std=c++17', '-I', join(installation, 'include'), source, '-o', program],
    ...['-L', libraries, '-lctranslate2', `-Wl,-rpath,${libraries}`],
  ]);
  return program;
};

const CTRANSLATE2 = 'CTranslate2';

const peers = async (folder: string, recording: Recording): Promise<ReadonlyMap<string, Peer>> => {
  const ggml = ({ ggml: path }: Model): string => path;
  const all = new Map<string, Peer>();
  all.set('Earshot', benchProgram(await buildEngineBench({ log }), ggml));
  all.set('whisper.cpp', benchProgram(await buildEngineBench({ log, original: true }), ggml));
  all.set('whisper-cli', whisperCli(await testWhisperCli(), recording));
  const installation = process.env.EARSHOT_CTRANSLATE2;
  if (installation && existsSync(join(installation, 'include', 'ctranslate2'))) {
    const program = await ctranslate2Bench(installation, folder);
    all.set(
      CTRANSLATE2,
      benchProgram(program, ({ ctranslate2 }) => ctranslate2),
    );
  } else say(`${CTRANSLATE2}: not here (EARSHOT_CTRANSLATE2 names the folder that it is installed in)`);
  return all;
};

const models = (folder: string, quick: boolean, withCtranslate2: boolean): Model[] => {
  const shapes: [Shape, 'f16' | 'q8_0'][] = quick
    ? [['base', 'q8_0']]
    : [
        ['base', 'f16'],
        ['base', 'q8_0'],
        ['small', 'q8_0'],
      ];
  const random = shapes.map(([shape, type]) => {
    const ggml = join(folder, `${shape}-${type}.bin`);
    writeRandomModel(ggml, shape, type);
    return { name: `${shape}, ${type}`, ggml, ctranslate2: join(folder, `${shape}-${type}`) };
  });
  const all = [
    { name: 'starter, f16', ggml: STARTER_MODEL, ctranslate2: join(folder, 'starter') },
    ...random,
  ];
  if (withCtranslate2) for (const { ggml, ctranslate2 } of all) writeCtranslate2Model(ggml, ctranslate2);
  return all;
};

/** Runs a row's programs in turn, `rounds` times. */
const timesOf = async (
  all: ReadonlyMap<string, Peer>,
  measure: (peer: Peer) => Promise<Times> | undefined,
  rounds: number,
): Promise<ReadonlyMap<string, Times>> => {
  const runs = new Map([...all.keys()].map((name) => [name, [] as Times[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, peer] of all) {
      const times = await measure(peer);
      if (times) runs.get(name)?.push(times);
    }
  }
  const middle = (times: readonly Times[]): Times => ({
    cpu: median(times.map(({ cpu }) => cpu)),
    wall: median(times.map(({ wall }) => wall)),
  });
  return new Map(
    [...runs].filter(([, times]) => times.length > 0).map(([name, times]) => [name, middle(times)]),
  );
};

const cellsOf = (all: ReadonlyMap<string, Peer>, times: ReadonlyMap<string, Times>): string => {
  const cells = [...all.keys()].map((name) => {
    const own = times.get(name);
    return own ? `${own.cpu.toFixed(1)} (${own.wall.toFixed(1)})` : '–';
  });
  const [ours, theirs] = [times.get('Earshot')?.cpu, times.get(CTRANSLATE2)?.cpu];
  if (all.has(CTRANSLATE2)) cells.push(ours && theirs ? `${(ours / theirs).toFixed(2)} ×` : '–');
  return cells.map((cell) => cell.padStart(18)).join('');
};

/**
 * The engine's parts beside whisper.cpp as released, and beside CTranslate2 with 8-bit weights where it is installed, in
 * alternating runs. Base and small have random weights: speed needs no trained ones, but a text does, so the recording is
 * for the starter model alone.
 */
export const comparePeers = async (folder: string, quick: boolean): Promise<void> => {
  const rounds = quick ? 1 : 3;
  const wav = await spokenWav(folder, 'peers', 60);
  const samples = join(folder, 'peers.f32');
  await run('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-ac', '1', '-ar', '16000', '-f', 'f32le', samples]);
  const all = await peers(folder, { wav, samples });
  const rows: Row[] = [
    { name: 'encoder, 30 s', mode: 'encode', rest: [] },
    { name: 'token, beam of 5', mode: 'token', rest: [BEAM] },
    { name: 'token, greedy', mode: 'token', rest: ['1'] },
  ];
  const file: Row = { name: '60 s of speech', mode: 'file', rest: [BEAM, samples] };
  const ratio = all.has(CTRANSLATE2) ? [`to ${CTRANSLATE2}`] : [];
  say(`\nmilliseconds of processor time (elapsed), median of ${rounds}, alternating`);
  say(`${''.padEnd(42)}${[...all.keys(), ...ratio].map((name) => name.padStart(18)).join('')}`);
  for (const model of models(folder, quick, all.has(CTRANSLATE2))) {
    for (const threads of [1, 2]) {
      for (const row of model.ggml === STARTER_MODEL ? [...rows, file] : rows) {
        const times = await timesOf(all, (peer) => peer(row, model, threads), rounds);
        const title = `${model.name}, ${threads} thread${threads > 1 ? 's' : ''}, ${row.name}`;
        say(`${title.padEnd(42)}${cellsOf(all, times)}`);
      }
    }
  }
};
