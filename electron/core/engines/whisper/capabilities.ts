import { closeSync, openSync, readSync } from 'node:fs';
import { clamp } from '../../base/numbers.ts';
import type { ModelFacts } from './types.ts';

/** The first numbers of a model file, in bytes: a mark, then the sizes of its parts. */
const HEADER_BYTES = 44;
const MARK = 0x67676d6c;
/** Places of the numbers that tell the families apart: see `family_of` in native/src/model_file.cc. */
const VOCABULARY = 4;
const PARAKEET_FFT = 32;
const PARAKEET_SUBSAMPLING = 36;
const PARAKEET_MEL_BANDS = 24;
const PARAKEET_CHANNELS = 40;
/** The first convolution halves the 100 frames of a second, and the bands of each. */
const CONVOLVED_FRAMES = 50;
const WHISPER_ENGLISH = 51_864;
const WHISPER_LARGEST = 51_866;
const PARAKEET_MULTILINGUAL = 8192;

/** What the first bytes of a model file say. */
type ModelHeader = Pick<ModelFacts, 'family' | 'multilingual'> & {
  /** What the largest tensor of a second of audio takes, in bytes; absent if a model always encodes as much audio. */
  readonly bytesPerSecond?: number;
};

/**
 * Reads the first bytes of a model file: what a list of models takes, whereas the engine's own check, which reads the whole
 * file, would be too slow. Undefined if it is no model's file.
 */
export const readModelHeader = (path: string): ModelHeader | undefined => {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  } finally {
    closeSync(file);
  }
  if (header.readUInt32LE(0) !== MARK) return undefined;
  const vocabulary = header.readInt32LE(VOCABULARY);
  if (vocabulary >= WHISPER_ENGLISH && vocabulary <= WHISPER_LARGEST) {
    return { family: 'whisper', multilingual: vocabulary > WHISPER_ENGLISH };
  }
  const isParakeet =
    header.readInt32LE(PARAKEET_FFT) === 512 || header.readInt32LE(PARAKEET_SUBSAMPLING) === 8;
  if (!isParakeet) return undefined;
  const bands = header.readInt32LE(PARAKEET_MEL_BANDS) / 2;
  return {
    family: 'parakeet',
    multilingual: vocabulary === PARAKEET_MULTILINGUAL,
    bytesPerSecond: 4 * CONVOLVED_FRAMES * bands * header.readInt32LE(PARAKEET_CHANNELS),
  };
};

/** What a model can do: all that the pipeline knows of it. */
export type Capabilities = {
  /** The code of the one language that it transcribes; null if there are several. */
  readonly onlyLanguage: string | null;
  /** Whether it finds out which language is spoken. */
  readonly detectsLanguage: boolean;
  /** Whether it keeps to the language that it is told; else it may drift into another one. */
  readonly takesLanguage: boolean;
  /** Whether it writes English whatever language is spoken. */
  readonly translates: boolean;
  /** Whether text given beforehand guides it. */
  readonly prompt: boolean;
  /** Whether another temperature makes it write another text. */
  readonly temperature: boolean;
  /** A chunk for it ends at the last silence before this; seconds. */
  readonly maxChunkSeconds: number;
  /** How its words' times come about: estimated after the text, or written with it. */
  readonly wordTimes: 'estimated' | 'exact';
};

/** What the models of a family have in common. */
const FAMILIES = {
  whisper: {
    detectsLanguage: true,
    takesLanguage: true,
    translates: true,
    prompt: true,
    temperature: true,
    wordTimes: 'estimated',
  },
  parakeet: {
    detectsLanguage: false,
    takesLanguage: false,
    translates: false,
    prompt: false,
    temperature: false,
    wordTimes: 'exact',
  },
} as const satisfies Record<ModelFacts['family'], Omit<Capabilities, 'onlyLanguage' | 'maxChunkSeconds'>>;

/** Whisper encodes windows of 30 s, at the same cost however full they are. */
const WINDOW_SECONDS = 29.5;
/** Text appears, and is saved, at least this often. */
const MAX_SECONDS = 240;
/** What the largest tensor of a chunk may take; all of them take about twice as much. */
const MAX_CHUNK_BYTES = 100e6;

/**
 * Models of the Parakeet family recognize a few more words the longer a chunk is (docs/decisions/008-chunks-at-silences.md),
 * and take memory for each of its seconds ("Length of chunks" in docs/performance.md).
 */
const maxChunkSeconds = ({ bytesPerSecond }: ModelHeader): number =>
  bytesPerSecond === undefined
    ? WINDOW_SECONDS
    : clamp(Math.floor(MAX_CHUNK_BYTES / bytesPerSecond), WINDOW_SECONDS, MAX_SECONDS);

export const capabilitiesOf = (header: ModelHeader): Capabilities => {
  const common = { ...FAMILIES[header.family], maxChunkSeconds: maxChunkSeconds(header) };
  // A model for one language needs no detection, and has nothing to translate from.
  return header.multilingual
    ? { ...common, onlyLanguage: null }
    : { ...common, onlyLanguage: 'en', detectsLanguage: true, translates: false };
};
