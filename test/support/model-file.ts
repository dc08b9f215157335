import { readFileSync } from 'node:fs';

/** Byte offsets of the parts of a whisper.cpp model file, for tests that damage one. */
export type ModelLayout = {
  size: number;
  /** The header's eleven fields, in order. */
  fields: Record<string, number>;
  filters: number;
  vocabulary: number;
  /** Each tensor's header. */
  tensors: number[];
};

const FIELDS = [
  'n_vocab',
  'n_audio_ctx',
  'n_audio_state',
  'n_audio_head',
  'n_audio_layer',
  'n_text_ctx',
  'n_text_state',
  'n_text_head',
  'n_text_layer',
  'n_mels',
  'ftype',
];
const BYTES_OF_TYPE: Record<number, number> = { 0: 4, 1: 2 };

export const readLayout = (path: string): ModelLayout => {
  const file = readFileSync(path);
  const fields = Object.fromEntries(FIELDS.map((name, index) => [name, 4 + 4 * index]));
  const filters = 4 + 4 * FIELDS.length;
  const vocabulary = filters + 8 + 4 * file.readInt32LE(filters) * file.readInt32LE(filters + 4);
  let at = vocabulary + 4;
  for (let left = file.readInt32LE(vocabulary); left > 0; left -= 1) at += 4 + file.readUInt32LE(at);
  const tensors: number[] = [];
  while (at < file.length) {
    tensors.push(at);
    const dimensions = file.readInt32LE(at);
    const nameLength = file.readInt32LE(at + 4);
    const bytes = BYTES_OF_TYPE[file.readInt32LE(at + 8)] ?? 0;
    at += 12;
    let elements = 1;
    for (let i = 0; i < dimensions; i += 1, at += 4) elements *= file.readInt32LE(at);
    at += nameLength + elements * bytes;
  }
  return { size: file.length, fields, filters, vocabulary, tensors };
};
