import { SAMPLE_RATE } from '../../base/audio.ts';

/** Samples over which the channels are compared. */
const WINDOW = SAMPLE_RATE / 10;
/** Samples over which the mix changes, without a click. */
const RAMP = SAMPLE_RATE / 100;
/** A window with less than this share of the energy of the loudest one is a pause, and changes nothing. */
const PAUSE = 0.001;
/** How much of the loudest window's energy is left after another one. */
const MEMORY = 0.98;
/** The side must have this many times the energy of the middle: sound of one channel alone has as much in both. */
const CANCELLED = 4;
/** The other channel must have this many times the energy of the one that is taken. */
const LOUDER = 2;
const BYTES_PER_SAMPLE = 4;

/**
 * ffmpeg's filters that make two channels of any: the middle, which is the mix to mono, and the side, which is the same mix
 * with the right channel inverted. `before`: filters before them.
 */
export const midAndSide = (before: readonly string[]): string => {
  const mono = `aresample=${SAMPLE_RATE},aformat=sample_fmts=flt:channel_layouts=mono`;
  // Floats are mixed with a half of the energy of each channel.
  const side = `aformat=channel_layouts=stereo,pan=mono|c0=${Math.SQRT1_2}*c0-${Math.SQRT1_2}*c1`;
  return `${[...before, 'asplit=2'].join(',')}[a][b];[a]${mono}[mid];[b]${side},${mono}[side];[mid][side]amerge=inputs=2`;
};

/** ffmpeg's filter for channels of which nothing says which is which: all are as loud as each other. */
export const averageOf = (channels: number): string =>
  `pan=mono|c0=${Array.from({ length: channels }, (_, channel) => `${1 / channels}*c${channel}`).join('+')}`;

/**
 * Mixes middle and side to mono. Where the channels cancel each other, as with one of reversed polarity, the louder
 * one is taken instead of the middle. Two channels of 32-bit floats become one.
 */
export class Downmix {
  readonly #pairs = new Float32Array(2 * WINDOW);
  readonly #bytes = new Uint8Array(this.#pairs.buffer);
  readonly #mono = new Float32Array(WINDOW);
  #filled = 0;
  #loudest = 0;
  /** How much of the side is added: 0, or 1 for the left channel, -1 for the right. */
  #weight = 0;

  /** What it yields is valid until the next value. */
  *push(part: Uint8Array): Generator<Buffer, void, undefined> {
    for (let rest = part; rest.length > 0; ) {
      const taken = rest.subarray(0, this.#bytes.length - this.#filled);
      this.#bytes.set(taken, this.#filled);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#filled === this.#bytes.length) yield this.#mix();
    }
  }

  *end(): Generator<Buffer, void, undefined> {
    if (this.#filled > 0) yield this.#mix();
  }

  #mix(): Buffer {
    const samples = this.#filled / (2 * BYTES_PER_SAMPLE);
    const before = this.#weight;
    this.#weight = this.#choose(samples);
    for (let i = 0; i < samples; i++) {
      const weight = i < RAMP ? before + ((this.#weight - before) * i) / RAMP : this.#weight;
      this.#mono[i] = (this.#pairs[2 * i] ?? 0) + weight * (this.#pairs[2 * i + 1] ?? 0);
    }
    this.#filled = 0;
    return Buffer.from(this.#mono.buffer, 0, samples * BYTES_PER_SAMPLE);
  }

  #choose(samples: number): number {
    let [mids, sides, products] = [0, 0, 0];
    for (let i = 0; i < samples; i++) {
      const [mid, side] = [this.#pairs[2 * i] ?? 0, this.#pairs[2 * i + 1] ?? 0];
      mids += mid * mid;
      sides += side * side;
      products += mid * side;
    }
    this.#loudest = Math.max(MEMORY * this.#loudest, mids + sides);
    if (mids + sides < PAUSE * this.#loudest) return this.#weight;
    if (sides <= CANCELLED * mids) return 0;
    const left = mids + sides + 2 * products;
    const right = mids + sides - 2 * products;
    return (this.#weight < 0 ? left < LOUDER * right : right > LOUDER * left) ? -1 : 1;
  }
}
