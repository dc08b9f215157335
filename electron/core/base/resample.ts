/** Zero crossings of the low-pass filter on each side of a sample. */
const CROSSINGS = 16;
/** The pass band ends a little below half of the lower rate, so that what folds back is weak. */
const ROLL_OFF = 0.94;
/** Places between two input samples for which the filter is computed beforehand. */
const PHASES = 256;

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** Blackman's window over -1 to 1. */
const windowAt = (x: number): number =>
  Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x);

/**
 * Converts a stream of samples from one rate to another by band-limited interpolation (Smith, "Digital Audio Resampling"). What
 * comes out depends on the samples alone, not on how they are divided among calls.
 */
export class Resampler {
  readonly #step: number;
  /** Input samples that the filter reaches to each side. */
  readonly #reach: number;
  /** For each phase, the filter's weights. */
  readonly #filter: readonly Float32Array[];
  /** The input that is still needed; its first sample is number `#first`. */
  #input: Float32Array;
  #first: number;
  /** Output samples so far. */
  #produced = 0;

  constructor(fromRate: number, toRate: number) {
    this.#step = fromRate / toRate;
    const cutoff = Math.min(1, toRate / fromRate) * ROLL_OFF;
    const half = CROSSINGS / cutoff;
    this.#reach = Math.ceil(half);
    this.#filter = Array.from({ length: PHASES + 1 }, (_, phase) =>
      Float32Array.from({ length: 2 * this.#reach }, (_, tap) => {
        const distance = tap - this.#reach + 1 - phase / PHASES;
        return cutoff * sinc(cutoff * distance) * windowAt(distance / half);
      }),
    );
    // Silence before the first sample.
    this.#input = new Float32Array(this.#reach);
    this.#first = -this.#reach;
  }

  /** The output samples that these complete; those at the end of the input follow with `flush`. */
  push(samples: Float32Array): Float32Array {
    const input = new Float32Array(this.#input.length + samples.length);
    input.set(this.#input);
    input.set(samples, this.#input.length);
    const end = this.#first + input.length - this.#reach;
    const count = Math.max(0, Math.ceil(end / this.#step) - this.#produced);
    const output = Float32Array.from({ length: count }, (_, index) =>
      this.#at(input, (this.#produced + index) * this.#step),
    );
    this.#produced += count;
    const needed = Math.floor(this.#produced * this.#step) - this.#reach;
    const from = Math.min(input.length, Math.max(0, needed - this.#first));
    this.#input = input.slice(from);
    this.#first += from;
    return output;
  }

  flush(): Float32Array {
    return this.push(new Float32Array(this.#reach));
  }

  #at(input: Float32Array, position: number): number {
    const whole = Math.floor(position);
    const weights = this.#filter[Math.round((position - whole) * PHASES)];
    const from = whole - this.#reach + 1 - this.#first;
    let sum = 0;
    if (weights === undefined) return sum;
    for (let tap = 0; tap < weights.length; tap++) sum += (weights[tap] ?? 0) * (input[from + tap] ?? 0);
    return sum;
  }
}
