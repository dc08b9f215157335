import { closeSync, openSync, readSync } from 'node:fs';
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
export type ModelHeader = Pick<ModelFacts, 'family' | 'multilingual'> & {
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
