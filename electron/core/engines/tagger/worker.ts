import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { handleTask, type LoadEngine } from '../worker/protocol.ts';
import { readModelFile } from './tagger.ts';
import { TAG_KINDS, type TaggedWord, type tagTask } from './tasks.ts';

/** A piece of a word: its id, the place of its characters in UTF-16 units, and the number of its word. */
type Piece = {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly word: number;
};

type Character = { readonly text: string; readonly from: number; readonly to: number };

const UNKNOWN = 1;
const MAX_WORD = 100;
const SPACE = /[\t\n\r\p{Z}]/u;
const DROPPED = /[\uFFFD\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const SEPARATE = /[$+<=>^`|~\p{P}]/u;
const IDEOGRAPH =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/u;

/** Characters without controls and accents, in lower case; each by itself, so that no final sigma appears. */
const normalize = (symbol: string, from: number): Character[] => {
  const to = from + symbol.length;
  const bare = symbol.normalize('NFD').replace(/\p{Mn}/gu, '');
  return Array.from(bare).flatMap((part) => Array.from(part.toLowerCase(), (text) => ({ text, from, to })));
};

/** Runs of characters between spaces; each punctuation character and ideograph is a word by itself. */
const splitWords = (text: string): Character[][] => {
  const words: Character[][] = [];
  let word: Character[] = [];
  const end = () => {
    if (word.length > 0) words.push(word);
    word = [];
  };
  let at = 0;
  for (const symbol of text) {
    const from = at;
    at += symbol.length;
    if (SPACE.test(symbol)) end();
    else if (!DROPPED.test(symbol)) {
      const isIdeograph = IDEOGRAPH.test(symbol);
      if (isIdeograph) end();
      for (const character of normalize(symbol, from)) {
        const isSeparate = SEPARATE.test(character.text);
        if (isSeparate) end();
        word.push(character);
        if (isSeparate) end();
      }
      if (isIdeograph) end();
    }
  }
  end();
  return words;
};

/** BERT's uncased WordPiece. `vocabulary` has a piece per line; the line's number is its id. */
const createTokenizer = (vocabulary: string): ((text: string) => Piece[]) => {
  const ids = new Map(vocabulary.split('\n').map((piece, id) => [piece, id]));

  const longestPiece = (
    word: readonly Character[],
    start: number,
  ): { id: number; end: number } | undefined => {
    for (let end = word.length; end > start; end -= 1) {
      const piece = word.slice(start, end).map(({ text }) => text);
      const id = ids.get(`${start > 0 ? '##' : ''}${piece.join('')}`);
      if (id !== undefined) return { id, end };
    }
    return undefined;
  };

  const pieces = (characters: readonly Character[], word: number): Piece[] => {
    const whole = { id: UNKNOWN, from: characters[0]?.from ?? 0, to: characters.at(-1)?.to ?? 0, word };
    if (characters.length > MAX_WORD) return [whole];
    const found: Piece[] = [];
    for (let start = 0; start < characters.length; ) {
      const piece = longestPiece(characters, start);
      if (!piece) return [whole];
      const { id, end } = piece;
      found.push({ id, from: characters[start]?.from ?? 0, to: characters[end - 1]?.to ?? 0, word });
      start = end;
    }
    return found;
  };
  return (text) => splitWords(text).flatMap(pieces);
};

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
