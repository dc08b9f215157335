import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildEngineBench } from '../../native/build.mjs';
import { STARTER_MODEL } from '../support/paths.ts';
import { median } from './measure.ts';
import { type Shape, writeRandomModel } from './random-model.ts';
import { spokenWav } from './recordings.ts';

const run = promisify(execFile);

type Times = { cpu: number; wall: number };
type Row = { name: string; args: (model: string, threads: number) => string[] };

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const measured = async (program: string, args: string[]): Promise<Times> => {
  const { stdout } = await run(program, args);
  return JSON.parse(stdout);
};

/** Raw 16 kHz mono floats of a recording. */
const rawSamples = async (wav: string): Promise<string> => {
  const raw = wav.replace(/\.wav$/, '.f32');
  await run('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-ac', '1', '-ar', '16000', '-f', 'f32le', raw]);
  return raw;
};

/** The programs of a comparison. All take the same arguments: see native/bench/engine_bench.cc. */
const programs = async (): Promise<Map<string, string>> => {
  const log = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const all = new Map<string, string>();
  all.set('Earshot', await buildEngineBench({ log }));
  all.set('whisper.cpp', await buildEngineBench({ log, original: true }));
  const peer = process.env.EARSHOT_CTRANSLATE2;
  if (peer && existsSync(peer)) all.set('CTranslate2', peer);
  else say('CTranslate2: not here (EARSHOT_CTRANSLATE2 names a program with the arguments of engine-bench)');
  return all;
};

const models = (folder: string, quick: boolean): Map<string, string> => {
  const all = new Map([['starter', STARTER_MODEL]]);
  const shapes: [Shape, 'f16' | 'q8_0'][] = quick
    ? [['base', 'q8_0']]
    : [
        ['base', 'f16'],
        ['base', 'q8_0'],
        ['small', 'q8_0'],
      ];
  for (const [shape, type] of shapes) {
    const path = join(folder, `${shape}-${type}.bin`);
    writeRandomModel(path, shape, type);
    all.set(`${shape}, ${type}`, path);
  }
  return all;
};

/**
 * The engine's parts beside whisper.cpp as released, in alternating runs. Base and small have random weights: speed needs no
 * trained ones, but a text does, so the recording is for the starter model alone.
 */
export const comparePeers = async (folder: string, quick: boolean): Promise<void> => {
  const rounds = quick ? 1 : 3;
  const all = await programs();
  const speech = await rawSamples(await spokenWav(folder, 'peers', 60));
  const rows: Row[] = [
    { name: 'encoder, 30 s', args: (model, threads) => ['encode', model, `${threads}`] },
    { name: 'token, beam of 5', args: (model, threads) => ['token', model, `${threads}`, '5'] },
    { name: 'token, greedy', args: (model, threads) => ['token', model, `${threads}`, '1'] },
  ];
  const file: Row = {
    name: '60 s of speech',
    args: (model, threads) => ['file', model, `${threads}`, '5', speech],
  };
  say(`\nmilliseconds of processor time (elapsed), median of ${rounds}, alternating`);
  say(`${''.padEnd(42)}${[...all.keys()].map((name) => name.padStart(20)).join('')}`);
  for (const [name, model] of models(folder, quick)) {
    for (const threads of [1, 2]) {
      for (const row of name === 'starter' ? [...rows, file] : rows) {
        const times = new Map([...all.keys()].map((program) => [program, [] as Times[]]));
        for (let round = 0; round < rounds; round++) {
          for (const [program, path] of all)
            times.get(program)?.push(await measured(path, row.args(model, threads)));
        }
        const cells = [...times.values()].map((of) => {
          const [cpu, wall] = [median(of.map((t) => t.cpu)), median(of.map((t) => t.wall))];
          return `${cpu.toFixed(1)} (${wall.toFixed(1)})`.padStart(20);
        });
        say(
          `${`${name}, ${threads} thread${threads > 1 ? 's' : ''}, ${row.name}`.padEnd(42)}${cells.join('')}`,
        );
      }
    }
  }
};
