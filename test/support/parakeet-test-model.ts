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

/** Tensors by name with their dimensions, the length of a row first. */
const tensorsOf = (): [string, number[]][] => {
  const width = HEADER.n_audio_state;
  const channels = HEADER.n_subsampling_channels;
  const hidden = HEADER.n_pred_dim;
  const outputs = HEADER.n_vocab + 1 + HEADER.n_tdt_durations;
  const layer = 'encoder.layers.0';
  const vectors = ['norm_feed_forward1', 'norm_conv', 'norm_self_att', 'norm_feed_forward2', 'norm_out'];
  return [
    ['encoder.pre_encode.out.weight', [(HEADER.n_mels / 8) * channels, width]],
    ['encoder.pre_encode.out.bias', [width]],
    ...[0, 2, 3, 5, 6].flatMap((index): [string, number[]][] => [
      [
        `encoder.pre_encode.conv.${index}.weight`,
        index % 3 === 0 && index > 0 ? [1, 1, channels, channels] : [3, 3, 1, channels],
      ],
      [`encoder.pre_encode.conv.${index}.bias`, [1, 1, channels, 1]],
    ]),
    ...vectors.flatMap((name): [string, number[]][] => [
      [`${layer}.${name}.weight`, [width]],
      [`${layer}.${name}.bias`, [width]],
    ]),
    ...['feed_forward1', 'feed_forward2'].flatMap((name): [string, number[]][] => [
      [`${layer}.${name}.linear1.weight`, [width, 4 * width]],
      [`${layer}.${name}.linear2.weight`, [4 * width, width]],
    ]),
    [`${layer}.conv.pointwise_conv1.weight`, [width, 2 * width]],
    [`${layer}.conv.pointwise_conv2.weight`, [width, width]],
    [`${layer}.conv.depthwise_conv.weight`, [HEADER.n_conv_kernel, width]],
    ...['weight', 'bias', 'running_mean', 'running_var'].map((name): [string, number[]] => [
      `${layer}.conv.batch_norm.${name}`,
      [width],
    ]),
    [`${layer}.conv.batch_norm.num_batches_tracked`, []],
    ...['q', 'k', 'v', 'out', 'pos'].map((name): [string, number[]] => [
      `${layer}.self_attn.linear_${name}.weight`,
      [width, width],
    ]),
    ...['u', 'v'].map((name): [string, number[]] => [
      `${layer}.self_attn.pos_bias_${name}`,
      [width / HEADER.n_audio_head, HEADER.n_audio_head],
    ]),
    ['decoder.prediction.embed.weight', [hidden, HEADER.n_vocab + 1]],
    ['decoder.prediction.dec_rnn.lstm.weight_ih_l0', [hidden, 4 * hidden]],
    ['decoder.prediction.dec_rnn.lstm.weight_hh_l0', [hidden, 4 * hidden]],
    ['decoder.prediction.dec_rnn.lstm.bias_h_l0', [4 * hidden]],
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
  for (const [name, shape] of tensorsOf()) {
    tensors.push(size);
    ints(shape.length, name.length, 0, ...shape);
    write(Buffer.from(name));
    floats(shape.reduce((product, length) => product * length, 1));
  }
  return { bytes: Buffer.concat(parts), fields, tensors };
};
