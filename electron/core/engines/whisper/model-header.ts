import { closeSync, openSync, readSync } from 'node:fs';
import type { ModelFacts } from './types.ts';

/** The first numbers of a model file, in bytes: a mark, then the sizes of its parts. */
const HEADER_BYTES = 48;
/** A header may end where the parts of a Parakeet model that count here do. */
const MIN_HEADER_BYTES = 44;
const MARK = 0x67676d6c;
/** Places of the numbers that tell the families apart: see `family_of` in native/src/model_file.cc. */
const VOCABULARY = 4;
const PARAKEET_FFT = 32;
const PARAKEET_SUBSAMPLING = 36;
const PARAKEET_MEL_BANDS = 24;
const PARAKEET_CHANNELS = 40;
/** The first convolution halves the 100 frames of a second, and the bands of each. */
const CONVOLVED_FRAMES = 50;
const WHISPER_FILE_TYPE = 44;
/** ggml's numbers of file types, without the version of the quantized formats. */
const FILE_TYPES: Readonly<Record<number, string>> = {
  0: 'f32',
  1: 'f16',
  2: 'q4_0',
  3: 'q4_1',
  7: 'q8_0',
  8: 'q5_0',
  9: 'q5_1',
};
const FORMAT_VERSION = 1000;
const WHISPER_ENGLISH = 51_864;
const WHISPER_LARGEST = 51_866;
const PARAKEET_MULTILINGUAL = 8192;

/** What the first bytes of a model file say. */
export type ModelHeader = Pick<ModelFacts, 'family' | 'multilingual'> & {
  /** What the largest tensor of a second of audio takes, in bytes; absent where a model always encodes as much audio. */
  readonly bytesPerSecond?: number;
  /** The type of the matrices of a Whisper model: `f16`, `q5_1`, … */
  readonly weights?: string | undefined;
};

/**
 * Reads the first bytes of a model file: what a list of models takes, where the engine's own check, which reads the whole
 * file, would be too slow. Undefined if it is no model's file.
 */
export const readModelHeader = (path: string): ModelHeader | undefined => {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < MIN_HEADER_BYTES) return undefined;
  } finally {
    closeSync(file);
  }
  if (header.readUInt32LE(0) !== MARK) return undefined;
  const vocabulary = header.readInt32LE(VOCABULARY);
  if (vocabulary >= WHISPER_ENGLISH && vocabulary <= WHISPER_LARGEST) {
    const weights = FILE_TYPES[header.readInt32LE(WHISPER_FILE_TYPE) % FORMAT_VERSION];
    return { family: 'whisper', multilingual: vocabulary > WHISPER_ENGLISH, weights };
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
