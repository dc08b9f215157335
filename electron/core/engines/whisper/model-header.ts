import { closeSync, openSync, readSync } from 'node:fs';
import type { ModelFacts } from './types.ts';

/** The first numbers of a model file, in bytes: a mark, then the sizes of its parts. */
const HEADER_BYTES = 40;
const MARK = 0x67676d6c;
/** Places of the numbers that tell the families apart: see `family_of` in native/src/model_file.cc. */
const VOCABULARY = 4;
const PARAKEET_FFT = 32;
const PARAKEET_SUBSAMPLING = 36;
const WHISPER_ENGLISH = 51_864;
const WHISPER_LARGEST = 51_866;
const PARAKEET_MULTILINGUAL = 8192;

/**
 * The family of a model file and whether it knows several languages, by its first bytes: what a list of models takes, where
 * the engine's own check, which reads the whole file, would be too slow. Undefined if it is no model's file.
 */
export const readModelHeader = (path: string): Pick<ModelFacts, 'family' | 'multilingual'> | undefined => {
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
  return isParakeet ? { family: 'parakeet', multilingual: vocabulary === PARAKEET_MULTILINGUAL } : undefined;
};
