import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { createRandom } from './random.ts';

/** The shape of whisper.cpp's own test model (models/generate-parakeet-test-model.py), with a shorter window. */
const HEADER = {
  n_vocab: 10,
  n_audio_ctx: 400,
  n_audio_state: 8,
  n_audio_head: 2,
  n_audio_layer: 1,
  n_mels: 16,
  ftype: 0,
  n_fft: 64,
  subsampling_factor: 8,
  n_subsampling_channels: 4,
  n_conv_kernel: 3,
  n_pred_dim: 8,
  n_pred_layers: 1,
  n_tdt_durations: 2,
  n_max_tokens: 5,
};

export type ParakeetTestModel = {
  readonly bytes: Buffer;
  /** Byte offsets of the header's fields. */
  readonly fields: Readonly<Record<string, number>>;
  /** Byte offset of each tensor's header, in order. */
  readonly tensors: readonly number[];
};

type Header = Readonly<Record<keyof typeof HEADER, number>>;
type Shape = [name: string, dimensions: number[]];

/** Of one layer of the encoder. */
const layerTensors = (header: Header, layer: string): Shape[] => {
  const width = header.n_audio_state;
  const vectors = ['norm_feed_forward1', 'norm_conv', 'norm_self_att', 'norm_feed_forward2', 'norm_out'];
  return [
    ...vectors.flatMap((name): Shape[] => [
      [`${layer}.${name}.weight`, [width]],
      [`${layer}.${name}.bias`, [width]],
    ]),
    ...['feed_forward1', 'feed_forward2'].flatMap((name): Shape[] => [
      [`${layer}.${name}.linear1.weight`, [width, 4 * width]],
      [`${layer}.${name}.linear2.weight`, [4 * width, width]],
    ]),
    [`${layer}.conv.pointwise_conv1.weight`, [width, 2 * width]],
    [`${layer}.conv.pointwise_conv2.weight`, [width, width]],
    [`${layer}.conv.depthwise_conv.weight`, [header.n_conv_kernel, width]],
    ...['weight', 'bias', 'running_mean', 'running_var'].map(
      (name): Shape => [`${layer}.conv.batch_norm.${name}`, [width]],
    ),
    [`${layer}.conv.batch_norm.num_batches_tracked`, []],
    ...['q', 'k', 'v', 'out', 'pos'].map(
      (name): Shape => [`${layer}.self_attn.linear_${name}.weight`, [width, width]],
    ),
    ...['u', 'v'].map(
      (name): Shape => [
        `${layer}.self_attn.pos_bias_${name}`,
        [width / header.n_audio_head, header.n_audio_head],
      ],
    ),
  ];
};

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** Tensors by name with their dimensions, the length of a row first. */
const tensorsOf = (header: Header): Shape[] => {
  const width = header.n_audio_state;
  const channels = header.n_subsampling_channels;
  const hidden = header.n_pred_dim;
  const outputs = header.n_vocab + 1 + header.n_tdt_durations;
  const lstm = 'decoder.prediction.dec_rnn.lstm';
  return [
    ['encoder.pre_encode.out.weight', [(header.n_mels / 8) * channels, width]],
    ['encoder.pre_encode.out.bias', [width]],
    ...[0, 2, 3, 5, 6].flatMap((index): Shape[] => [
      [
        `encoder.pre_encode.conv.${index}.weight`,
        index % 3 === 0 && index > 0 ? [1, 1, channels, channels] : [3, 3, 1, channels],
      ],
      [`encoder.pre_encode.conv.${index}.bias`, [1, 1, channels, 1]],
    ]),
    ...range(header.n_audio_layer).flatMap((index) => layerTensors(header, `encoder.layers.${index}`)),
    ['decoder.prediction.embed.weight', [hidden, header.n_vocab + 1]],
    ...range(header.n_pred_layers).flatMap((index): Shape[] => [
      [`${lstm}.weight_ih_l${index}`, [hidden, 4 * hidden]],
      [`${lstm}.weight_hh_l${index}`, [hidden, 4 * hidden]],
      [`${lstm}.bias_h_l${index}`, [4 * hidden]],
    ]),
    ['joint.pred.weight', [hidden, hidden]],
    ['joint.pred.bias', [hidden]],
    ['joint.enc.weight', [width, hidden]],
    ['joint.enc.bias', [hidden]],
    ['joint.joint_net.2.weight', [hidden, outputs]],
    ['joint.joint_net.2.bias', [outputs]],
  ];
};

/** A tiny model with random weights: it loads and runs, and what it writes has no meaning. */
export const parakeetTestModel = (): ParakeetTestModel => {
  const random = createRandom(42);
  const parts: Buffer[] = [];
  let size = 0;
  const write = (bytes: Buffer): void => {
    parts.push(bytes);
    size += bytes.length;
  };
  const ints = (...values: number[]): void => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, index) => {
      bytes.writeInt32LE(value, 4 * index);
    });
    write(bytes);
  };
  const floats = (count: number): void =>
    write(Buffer.from(Float32Array.from({ length: count }, () => 2 * random.next() - 1).buffer));

  ints(0x67676d6c);
  const fields = Object.fromEntries(Object.keys(HEADER).map((name, index) => [name, 4 + 4 * index]));
  ints(...Object.values(HEADER));
  const bins = HEADER.n_fft / 2 + 1;
  ints(HEADER.n_mels, bins);
  floats(HEADER.n_mels * bins);
  ints(HEADER.n_fft);
  floats(HEADER.n_fft);
  ints(...Array.from({ length: HEADER.n_tdt_durations }, (_, duration) => duration));
  const words = ['<unk>', '<s>', '</s>', '▁a', 'b', 'c', 'd', '.', '▁f', 'g'];
  ints(words.length);
  for (const word of words) {
    ints(Buffer.byteLength(word));
    write(Buffer.from(word));
  }
  const tensors: number[] = [];
  for (const [name, shape] of tensorsOf(HEADER)) {
    tensors.push(size);
    ints(shape.length, name.length, 0, ...shape);
    write(Buffer.from(name));
    floats(shape.reduce((product, length) => product * length, 1));
  }
  return { bytes: Buffer.concat(parts), fields, tensors };
};

const TYPES = {
  f32: { id: 0, bytesOf: (elements: number) => 4 * elements },
  q8_0: { id: 8, bytesOf: (elements: number) => (elements / 32) * 34 },
};
const Q8_0_FILE = 7;

/** What NVIDIA's models of 0.6 billion parameters have in common, as whisper.cpp's converter writes it. */
const PUBLISHED = {
  ...HEADER,
  n_audio_ctx: 5000,
  n_audio_state: 1024,
  n_audio_head: 8,
  n_audio_layer: 24,
  n_mels: 128,
  ftype: Q8_0_FILE,
  n_fft: 512,
  n_subsampling_channels: 256,
  n_conv_kernel: 9,
  n_pred_dim: 640,
  n_pred_layers: 2,
  n_tdt_durations: 5,
  n_max_tokens: 10,
};

/** Writes a file of a published model's structure and size in q8_0, whose weights are holes, which take no space. */
export const writePublishedShape = (path: string, vocabulary: number): void => {
  const header = { ...PUBLISHED, n_vocab: vocabulary };
  const file = openSync(path, 'w');
  let at = 0;
  const put = (bytes: Buffer): void => {
    writeSync(file, bytes, 0, bytes.length, at);
    at += bytes.length;
  };
  const ints = (...values: number[]): void => put(Buffer.from(Int32Array.from(values).buffer));
  const bins = header.n_fft / 2 + 1;
  ints(0x67676d6c, ...Object.values(header), header.n_mels, bins);
  at += 4 * header.n_mels * bins;
  ints(header.n_fft);
  at += 4 * header.n_fft;
  ints(...range(header.n_tdt_durations), vocabulary);
  for (const word of range(vocabulary).map((index) => Buffer.from(`▁${index}`))) {
    ints(word.length);
    put(word);
  }
  for (const [name, shape] of tensorsOf(header)) {
    const isMatrix = shape.length === 2 && !/depthwise|pos_bias/.test(name);
    const { id, bytesOf } = isMatrix ? TYPES.q8_0 : TYPES.f32;
    ints(shape.length, name.length, id, ...shape);
    put(Buffer.from(name));
    at += bytesOf(shape.reduce((product, length) => product * length, 1));
  }
  ftruncateSync(file, at);
  closeSync(file);
};
