// The engines that `npm run bench -- --peers` compares, each behind the same function.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildEngineBench } from '../../native/build.mjs';
import { testWhisperCli } from '../support/addon.ts';
import { ROOT } from '../support/paths.ts';
import { cpuOf, median } from './measure.ts';

const run = promisify(execFile);

/** Milliseconds. */
export type Times = { readonly cpu: number; readonly wall: number };
/** Medians of several runs, and the least processor time of one, which a machine that others use disturbs least. */
export type Runs = Times & { readonly leastCpu: number };
/** One model in both forms. */
export type PeerModel = { readonly name: string; readonly ggml: string; readonly ctranslate2: string };
/** A mode of engine-bench, and its arguments behind the threads. */
export type Work = { readonly mode: 'encode' | 'token' | 'file'; readonly rest: readonly string[] };
/** Measures some work; undefined if the program has no such part. */
export type Peer = (work: Work, model: PeerModel, threads: number) => Promise<Times | undefined>;
export type PeerName = 'Earshot' | 'whisper.cpp' | 'whisper-cli' | 'CTranslate2';
export type Peers = ReadonlyMap<PeerName, Peer>;

export const BEAM = '5';
/** What never ends still fails: the longest run, large-v3-turbo on a busy machine, takes a few minutes. */
const RUN_TIMEOUT_MS = 30 * 60_000;
/**
 * CTranslate2 returns each large buffer to the system, and where a page fault is dear, as in some virtual machines, the faults
 * take longer than the computing. So glibc keeps memory, in huge pages, and threads that wait sleep: both for every program.
 */
const FAIR = {
  GLIBC_TUNABLES: ['hugetlb=1', 'mmap_max=0', `trim_threshold=${2 ** 32}`, 'arena_max=1']
    .map((setting) => `glibc.malloc.${setting}`)
    .join(':'),
  OMP_WAIT_POLICY: 'passive',
};
/** Each library on AVX2 alone: CTranslate2's own kernels, oneDNN, MKL (on Intel's processors), and our AMX. */
const AVX2_ONLY = {
  CT2_FORCE_CPU_ISA: 'AVX2',
  ONEDNN_MAX_CPU_ISA: 'AVX2',
  MKL_ENABLE_INSTRUCTIONS: 'AVX2',
  EARSHOT_NO_AMX: '1',
};

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** A program with the arguments of native/bench/engine_bench.cc. */
const benchProgram =
  (program: string, form: 'ggml' | 'ctranslate2', variables: Readonly<Record<string, string>>): Peer =>
  async ({ mode, rest }, model, threads) => {
    const env = { ...process.env, ...FAIR, ...variables };
    const args = [mode, model[form], `${threads}`, ...rest];
    const running = run(program, args, { env, timeout: RUN_TIMEOUT_MS });
    const end = (): void => {
      running.child.kill();
    };
    process.once('exit', end);
    try {
      return JSON.parse((await running).stdout);
    } finally {
      process.off('exit', end);
    }
  };

/** The whole program, which also loads the model. */
const whisperCli =
  (program: string, wav: string): Peer =>
  async ({ mode }, { ggml }, threads) => {
    if (mode !== 'file') return undefined;
    const args = [
      '-m',
      ggml,
      '-f',
      wav,
      '-np',
      '-l',
      'en',
      '-bs',
      BEAM,
      '-mc',
      '0',
      '-nf',
      '-t',
      `${threads}`,
    ];
    const start = performance.now();
    const { cpu } = await cpuOf(program, args, FAIR);
    return { cpu: 1000 * cpu, wall: performance.now() - start };
  };

/** Compiles our program for CTranslate2 against the installation that EARSHOT_CTRANSLATE2 names; undefined without one. */
export const ctranslate2Bench = async (folder: string): Promise<string | undefined> => {
  const installation = process.env.EARSHOT_CTRANSLATE2;
  if (!installation) return undefined;
  if (!existsSync(join(installation, 'include', 'ctranslate2')))
    throw new Error(`EARSHOT_CTRANSLATE2: no CTranslate2 is installed in ${installation}.`);
  const program = join(folder, 'ctranslate2-bench');
  const source = join(ROOT, 'native', 'bench', 'ctranslate2_bench.cc');
  const libraries = join(installation, 'lib');
  await run('c++', [
    ...['-O2', '-std=c++17', '-I', join(installation, 'include'), source, '-o', program],
    ...['-L', libraries, '-lctranslate2', `-Wl,-rpath,${libraries}`],
  ]);
  return program;
};

/** Which engines a part compares, and with which instructions. */
export type Selection = { readonly avx2: boolean; readonly original: boolean };

/** Builds what is not in the cache. `program` is ctranslate2Bench's; `wav` is the recording of the file mode. */
export const peersFor = async (
  { avx2, original }: Selection,
  { program, wav }: { readonly program: string | undefined; readonly wav: string },
): Promise<Peers> => {
  const variables = avx2 ? AVX2_ONLY : {};
  const all = new Map<PeerName, Peer>();
  all.set('Earshot', benchProgram(await buildEngineBench({ log, avx2 }), 'ggml', variables));
  if (original) {
    all.set('whisper.cpp', benchProgram(await buildEngineBench({ log, original }), 'ggml', {}));
    all.set('whisper-cli', whisperCli(await testWhisperCli(), wav));
  }
  if (program) all.set('CTranslate2', benchProgram(program, 'ctranslate2', variables));
  return all;
};

/** Takes each measurement in turn, `rounds` times; leaves out those that there are none of. */
export const alternating = async <Name>(
  measurements: ReadonlyMap<Name, () => Promise<Times | undefined>>,
  rounds: number,
): Promise<ReadonlyMap<Name, Runs>> => {
  const runs = new Map<Name, Times[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of measurements) {
      const times = await measure();
      if (times) runs.set(name, [...(runs.get(name) ?? []), times]);
    }
  }
  const summary = (times: readonly Times[]): Runs => ({
    cpu: median(times.map(({ cpu }) => cpu)),
    wall: median(times.map(({ wall }) => wall)),
    leastCpu: Math.min(...times.map(({ cpu }) => cpu)),
  });
  return new Map([...runs].map(([name, times]) => [name, summary(times)]));
};
