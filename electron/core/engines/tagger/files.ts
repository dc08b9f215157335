import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The SHA-256 of the files of Rampart, which comes along. */
const SUMS = {
  'rampart-q4.onnx': '9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5',
  'rampart-vocab.txt': '0fbe6b50061feabb9be68af471e9aa6df07a4bc428bdca4b0eff1fcd3612dee5',
} as const;

/** Reads a file of the model. Throws if it is missing or damaged: such a model would find less, and say nothing. */
export const readModelFile = (folder: string, name: keyof typeof SUMS): Buffer => {
  const content = readFileSync(join(folder, name));
  if (createHash('sha256').update(content).digest('hex') !== SUMS[name])
    throw new Error(`${name}, which comes with Earshot, is damaged. Install Earshot again.`);
  return content;
};

/** Throws if a file of the model is missing or damaged. */
export const checkModelFiles = (folder: string): void => {
  readModelFile(folder, 'rampart-q4.onnx');
  readModelFile(folder, 'rampart-vocab.txt');
};
