import { writeFileSync } from 'node:fs';

const F32 = 0;
const F16 = 1;

const TENSORS: [name: string, type: number, shape: number[]][] = [
  ['_model.encoder.0.reparam_conv.weight', F16, [3, 129, 128]],
  ['_model.encoder.0.reparam_conv.bias', F32, [128]],
  ['_model.encoder.1.reparam_conv.weight', F16, [3, 128, 64]],
  ['_model.encoder.1.reparam_conv.bias', F32, [64]],
  ['_model.encoder.2.reparam_conv.weight', F16, [3, 64, 64]],
  ['_model.encoder.2.reparam_conv.bias', F32, [64]],
  ['_model.encoder.3.reparam_conv.weight', F16, [3, 64, 128]],
  ['_model.encoder.3.reparam_conv.bias', F32, [128]],
  ['_model.decoder.rnn.weight_ih', F32, [128, 512]],
  ['_model.decoder.rnn.weight_hh', F32, [128, 512]],
  ['_model.decoder.rnn.bias_ih', F32, [512]],
  ['_model.decoder.rnn.bias_hh', F32, [512]],
  ['_model.decoder.decoder.2.weight', F16, [128]],
  ['_model.decoder.decoder.2.bias', F32, []],
  ['_model.stft.forward_basis_buffer', F16, [256, 1, 258]],
];

const ints = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeInt32LE(value, 4 * index);
  return bytes;
};

const dataOf = (name: string, type: number, shape: number[], bias: number): Buffer => {
  const elements = shape.reduce((product, size) => product * size, 1);
  const data = Buffer.alloc(elements * (type === F16 ? 2 : 4));
  if (name === '_model.decoder.decoder.2.bias') data.writeFloatLE(bias);
  return data;
};

/**
 * Writes a Silero model in whisper.cpp's format, laid out as its converter does, whose weights are zero but
 * for the last bias: that alone decides, so it hears speech everywhere (positive) or nowhere (negative).
 */
export const writeVadModel = (path: string, bias: number): void => {
  const name = Buffer.from('silero-16k');
  const encoder = [129, 128, 3, 128, 64, 3, 64, 64, 3, 64, 128, 3];
  const parts = [
    ints(0x67676d6c, name.length),
    name,
    ints(5, 1, 2, 512, 64, 4, ...encoder, 128, 128, 128, 1),
  ];
  for (const [tensor, type, shape] of TENSORS) {
    parts.push(
      ints(shape.length, tensor.length, type, ...shape),
      Buffer.from(tensor),
      dataOf(tensor, type, shape, bias),
    );
  }
  writeFileSync(path, Buffer.concat(parts));
};
