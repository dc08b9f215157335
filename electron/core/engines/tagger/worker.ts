import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { handleTask, type LoadEngine } from '../worker/protocol.ts';
import { readModelFile } from './files.ts';
import { TAG_KINDS, type TaggedWord, type tagTask } from './tasks.ts';
import { createTokenizer, type Piece } from './word-piece.ts';

type Addon = {
  loadTagger(library: string, model: string): (ids: Int32Array) => Float32Array;
};

const LABELS = 1 + 2 * TAG_KINDS.length;
const FIRST = 2;
const LAST = 3;
/** What the model takes at once, without both marks of a sentence's ends. */
const MAX_PIECES = 510;
/** A word is marked if one of its pieces is of a kind with this probability … */
const THRESHOLD = 0.5;
/** … and surely harmless if all its pieces are with this one. */
const SURELY_NOTHING = 0.98;

/** ONNX Runtime in the platform package of sherpa-onnx. */
const onnxRuntime = (): string => {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('sherpa-onnx-node'));
  const folder = dirname(resolve(`sherpa-onnx-${platform}-${process.arch}/package.json`));
  const name = readdirSync(folder).find((file) =>
    /^(?:lib)?onnxruntime(?:[.\d]*)\.(?:so|dylib|dll)$/.test(file),
  );
  if (name === undefined) throw new Error(`There is no ONNX Runtime in ${folder}.`);
  return join(folder, name);
};

type Label = Pick<TaggedWord, 'kind' | 'score'> & { readonly nothing: number };

const labelOf = (logits: Float32Array): Label => {
  const largest = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp(logit - largest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const best = weights.indexOf(1);
  const isMarked = best > 0 && 1 / sum >= THRESHOLD;
  return {
    kind: isMarked ? (TAG_KINDS[(best - 1) >> 1] ?? null) : null,
    score: isMarked ? 1 / sum : 0,
    nothing: (weights[0] ?? 0) / sum,
  };
};

const tagWords = (pieces: readonly Piece[], logits: Float32Array): TaggedWord[] => {
  const words = new Map<number, TaggedWord & { nothing: number }>();
  for (const [index, { word, from, to }] of pieces.entries()) {
    const label = labelOf(logits.subarray((index + 1) * LABELS, (index + 2) * LABELS));
    const before = words.get(word);
    words.set(word, {
      from: before?.from ?? from,
      to,
      kind: before?.kind ?? label.kind,
      score: Math.max(before?.score ?? 0, label.score),
      nothing: Math.min(before?.nothing ?? 1, label.nothing),
    });
  }
  return [...words.values()]
    .filter(({ nothing }) => nothing < SURELY_NOTHING)
    .map(({ from, to, kind, score }) => ({ from, to, kind, score }));
};

/** Serves the tagger of private data. Argument: the path of the addon. The model is loaded with the first sentences. */
export const loadTagger: LoadEngine = ([addonPath]) => {
  if (!addonPath) throw new Error('The worker was started without the path of the addon.');
  const require = createRequire(import.meta.url);
  const addon: Addon = require(addonPath);
  let tag: ((sentence: string) => TaggedWord[]) | undefined;

  const load = (folder: string) => {
    const tokenize = createTokenizer(readModelFile(folder, 'rampart-vocab.txt').toString('utf8'));
    readModelFile(folder, 'rampart-q4.onnx');
    const run = addon.loadTagger(onnxRuntime(), join(folder, 'rampart-q4.onnx'));
    return (sentence: string): TaggedWord[] => {
      const pieces = tokenize(sentence);
      const parts = Array.from({ length: Math.ceil(pieces.length / MAX_PIECES) }, (_, part) =>
        pieces.slice(part * MAX_PIECES, (part + 1) * MAX_PIECES),
      );
      return parts.flatMap((part) =>
        tagWords(part, run(Int32Array.from([FIRST, ...part.map(({ id }) => id), LAST]))),
      );
    };
  };

  return {
    handlers: [
      handleTask<typeof tagTask>('tag', ({ folder, sentences }) => {
        tag ??= load(folder);
        return sentences.map(tag);
      }),
    ],
  };
};
