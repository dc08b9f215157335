// Whether hearing twice finds errors, and whether a vote between both readings has fewer: word error rates, and precision
// and recall of what each way marks for review. The recordings are disturbed by noise of a fixed seed, to get errors.
//
//   node test/bench/hearing-twice.ts --save FILE    also keeps what was heard
//   node test/bench/hearing-twice.ts --from FILE    measures that again, without recognizing

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';
import { capabilitiesOf } from '../../electron/core/engines/whisper/capabilities.ts';
import { createWhisperEngine } from '../../electron/core/engines/whisper/engine.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/client.ts';
import { recognizeAgain } from '../../electron/core/pipeline/recognition/recognizer.ts';
import { compareReadings } from '../../electron/core/pipeline/recognition/verify.ts';
import type { StoredWord } from '../../electron/core/stores/segments.ts';
import { testAddon } from '../support/addon.ts';
import { truth } from '../support/fixtures.ts';
import { noisyWav } from '../support/noisy.ts';
import { STARTER_MODEL, STARTER_PARAKEET, WORKER_ENTRY } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';

/** The vote's weights are chosen on these recordings … */
const TUNING = [
  '01-short-note.wav',
  '02-two-speakers.mp3',
  '04-personal-data.m4a',
  '11-news-and-entities.wav',
];
/** … and everything is measured on these. */
const HELD_OUT = ['03-three-speakers.flac', '08-meeting-4min.mp3', '12-moderation.webm', '13-long-pause.wav'];
const SNRS_DB = [10, 5];
const SEED = 1;
const LOW_CONFIDENCE = 0.5;

type Family = 'whisper' | 'parakeet';
/** The words of each chunk, as each model heard them. */
type Heard = {
  readonly name: string;
  readonly snrDb: number;
  readonly chunks: Readonly<Record<Family, StoredWord[]>>[];
};

const MODELS = {
  whisper: { path: STARTER_MODEL, capabilities: capabilitiesOf({ family: 'whisper', multilingual: true }) },
  parakeet: {
    path: STARTER_PARAKEET,
    capabilities: capabilitiesOf({ family: 'parakeet', multilingual: false }),
  },
};

const hearAll = async (): Promise<Heard[]> => {
  const addonPath = await testAddon();
  const engine = createWhisperEngine({
    fork: forkNodeWorker(WORKER_ENTRY),
    addonPath,
    threads: 1,
    concurrency: 1,
  });
  const media = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
  const settings = { beamSize: () => 1 };
  const folder = temporaryFolder();
  const signal = new AbortController().signal;
  const hear = async (path: string, family: Family): Promise<StoredWord[][]> => {
    const deps = { media, engine, settings };
    const options = { model: MODELS[family], language: 'en', translate: false, signal };
    const chunks: StoredWord[][] = [];
    // @ts-expect-error: of the settings, recognition reads these two alone.
    for await (const segments of recognizeAgain(deps, { kind: 'file', path }, options)) {
      chunks.push(segments.flatMap(({ words }) => words));
    }
    return chunks;
  };
  const heard: Heard[] = [];
  for (const snrDb of SNRS_DB) {
    for (const name of [...TUNING, ...HELD_OUT]) {
      const path = join(folder, 'noisy.wav');
      writeFileSync(path, noisyWav(name, snrDb, SEED));
      const [whisper, parakeet] = [await hear(path, 'whisper'), await hear(path, 'parakeet')];
      const chunks = whisper.map((words, index) => ({ whisper: words, parakeet: parakeet[index] ?? [] }));
      heard.push({ name, snrDb, chunks });
      process.stderr.write(`${name} at ${snrDb} dB\n`);
    }
  }
  await engine.close();
  return heard;
};

const textOf = (words: readonly { readonly word: string }[]): string =>
  words.map(({ word }) => word).join(' ');

/** Which heard words are wrong: those that are not in the truth, and those beside which a true word is missing. */
const wrongWords = (truthful: readonly string[], heard: readonly string[]): boolean[] => {
  const width = heard.length + 1;
  const costs = new Uint16Array((truthful.length + 1) * width);
  const at = (i: number, j: number): number => costs[i * width + j] ?? 0;
  for (let i = 0; i <= truthful.length; i++) {
    for (let j = 0; j < width; j++) {
      if (i === 0 || j === 0) costs[i * width + j] = i + j;
      else {
        const pair = at(i - 1, j - 1) + (truthful[i - 1] === heard[j - 1] ? 0 : 1);
        costs[i * width + j] = Math.min(pair, at(i - 1, j) + 1, at(i, j - 1) + 1);
      }
    }
  }
  const wrong = heard.map(() => false);
  for (let i = truthful.length, j = heard.length; i > 0 || j > 0; ) {
    const isSame = i > 0 && j > 0 && truthful[i - 1] === heard[j - 1];
    if (isSame && at(i, j) === at(i - 1, j - 1)) {
      i--;
      j--;
    } else if (i > 0 && j > 0 && at(i, j) === at(i - 1, j - 1) + 1) {
      wrong[j - 1] = true;
      i--;
      j--;
    } else if (j > 0 && at(i, j) === at(i, j - 1) + 1) {
      wrong[--j] = true;
    } else {
      wrong[Math.max(0, j - 1)] = true;
      i--;
    }
  }
  return wrong;
};

type Judged = {
  readonly isWrong: boolean;
  readonly confidence: number;
  readonly differs: boolean;
};

/** Every word of the first model with what is known of it. */
const judge = (heard: readonly Heard[], first: Family, second: Family): Judged[] =>
  heard.flatMap(({ name, chunks }) => {
    const words = chunks.flatMap((chunk) => {
      const { words: compared } = compareReadings(chunk[first], chunk[second], second);
      return compared.map((word, index) => ({ ...word, own: chunk[first][index]?.confidence ?? 1 }));
    });
    // A heard word may be several plain ones, or none.
    const plain = words.flatMap((word, index) => plainWords(word.word).map((text) => ({ text, index })));
    const wrong = wrongWords(
      plainWords(truth(name).text),
      plain.map(({ text }) => text),
    );
    return words.map(({ own, alternatives }, index) => ({
      isWrong: plain.some((each, place) => each.index === index && wrong[place] === true),
      confidence: own,
      differs: alternatives !== undefined,
    }));
  });

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`.padStart(8);

const printMarked = (label: string, all: readonly Judged[], marked: readonly Judged[]): void => {
  const wrong = all.filter(({ isWrong }) => isWrong).length;
  const found = marked.filter(({ isWrong }) => isWrong).length;
  const cells = [found / Math.max(1, marked.length), found / Math.max(1, wrong)].map(percent).join('  ');
  process.stdout.write(`  ${label.padEnd(46)} ${String(marked.length).padStart(5)}  ${cells}\n`);
};

/** Those of which the first model is least sure. */
const doubtful = (words: readonly Judged[], count: number): Judged[] =>
  words.toSorted((a, b) => a.confidence - b.confidence).slice(0, count);

const printReview = (heard: readonly Heard[], first: Family, second: Family): void => {
  const words = judge(heard, first, second);
  const wrong = words.filter(({ isWrong }) => isWrong).length;
  process.stdout.write(`\n${first}, checked with ${second}: ${words.length} words, ${wrong} wrong\n`);
  process.stdout.write(`  ${'marked for review'.padEnd(46)} words precision    recall\n`);
  const differing = words.filter(({ differs }) => differs);
  const low = words.filter(({ confidence }) => confidence < LOW_CONFIDENCE);
  printMarked(`confidence under ${LOW_CONFIDENCE}`, words, low);
  printMarked('as many as differ, by lowest confidence', words, doubtful(words, differing.length));
  printMarked('differing', words, differing);
  printMarked('differing, or confidence under 0.5', words, [...new Set([...differing, ...low])]);
  printMarked('the first 100 of the queue', words, doubtful(differing, 100));
  printMarked('the 100 of lowest confidence', words, doubtful(words, 100));
};

type Weights = { readonly bias: number; readonly nothing: number };

/**
 * ROVER with confidences (Fiscus 1997) for two systems: if they differ, the reading with the higher mean confidence;
 * `nothing` is the confidence of an empty one, `bias` that in the first model beyond its own.
 */
const vote = (
  first: readonly StoredWord[],
  second: readonly StoredWord[],
  { bias, nothing }: Weights,
): string => {
  const { words } = compareReadings(first, second, 'second');
  const out: string[] = [];
  for (let from = 0; from < words.length; ) {
    let to = from;
    while (words[to]?.alternatives !== undefined) to++;
    if (to === from) {
      out.push(words[from++]?.word ?? '');
      continue;
    }
    const own = words.slice(from, to);
    const other = own.flatMap(({ alternatives }) => alternatives?.[0] ?? []);
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const second = mean(other.map(({ text, confidence }) => (text === '' ? nothing : confidence)));
    const isOther = second > mean(own.map(({ confidence }) => confidence)) + bias;
    out.push(...(isOther ? other.map(({ text }) => text) : own.map(({ word }) => word)));
    from = to;
  }
  return out.filter((word) => word !== '').join(' ');
};

/** Word errors over true words, of what `textIn` makes of each chunk. */
const errorRate = (heard: readonly Heard[], textIn: (chunk: Heard['chunks'][number]) => string): number => {
  let [errors, total] = [0, 0];
  for (const { name, chunks } of heard) {
    const said = plainWords(truth(name).text);
    errors += wordErrors(said, plainWords(chunks.map(textIn).join(' ')));
    total += said.length;
  }
  return errors / total;
};

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step);

/** The weights with the fewest errors. */
const tune = (heard: readonly Heard[], first: Family, second: Family): Weights => {
  const grid = range(-0.5, 1, 0.1).flatMap((bias) => range(0, 1, 0.1).map((nothing) => ({ bias, nothing })));
  const rated = grid.map((weights) => ({
    weights,
    rate: errorRate(heard, (chunk) => vote(chunk[first], chunk[second], weights)),
  }));
  return rated.toSorted((a, b) => a.rate - b.rate)[0]?.weights ?? { bias: 0, nothing: 0.5 };
};

const printVote = (
  tuning: readonly Heard[],
  heldOut: readonly Heard[],
  first: Family,
  second: Family,
): void => {
  const weights = tune(tuning, first, second);
  const { bias, nothing } = weights;
  process.stdout.write(
    `\nvote of ${first} and ${second}: bias ${bias.toFixed(1)}, nothing ${nothing.toFixed(1)}\n`,
  );
  process.stdout.write(`  ${'noise'.padEnd(12)} ${first.padStart(9)} ${second.padStart(9)}      vote\n`);
  const rows = [
    ...SNRS_DB.map((snrDb) => ({ label: `${snrDb} dB`, snrDb })),
    { label: 'all', snrDb: undefined },
  ];
  for (const [kind, part] of [
    ['tuning', tuning],
    ['held out', heldOut],
  ] as const) {
    for (const { label, snrDb } of rows) {
      const own = part.filter((each) => snrDb === undefined || each.snrDb === snrDb);
      const rates = [
        errorRate(own, (chunk) => textOf(chunk[first])),
        errorRate(own, (chunk) => textOf(chunk[second])),
        errorRate(own, (chunk) => vote(chunk[first], chunk[second], weights)),
      ];
      process.stdout.write(`  ${`${kind}, ${label}`.padEnd(18)} ${rates.map(percent).join('  ')}\n`);
    }
  }
};

const argument = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

const saved = argument('--from');
const heard: Heard[] = saved === undefined ? await hearAll() : JSON.parse(readFileSync(saved, 'utf8'));
const kept = argument('--save');
if (kept !== undefined) writeFileSync(kept, JSON.stringify(heard));
const tuning = heard.filter(({ name }) => TUNING.includes(name));
const heldOut = heard.filter(({ name }) => HELD_OUT.includes(name));
for (const [first, second] of [
  ['parakeet', 'whisper'],
  ['whisper', 'parakeet'],
] as const) {
  printReview(heldOut, first, second);
  printVote(tuning, heldOut, first, second);
}
