import { PEAKS_PER_SECOND, SAMPLE_RATE, toSeconds } from '../../base/audio.ts';
import { SilenceMap } from './silence-map.ts';
import type { AudioChunk, ChunkOptions, Span } from './types.ts';

/** Samples of one peak bucket. */
const PEAK_SAMPLES = SAMPLE_RATE / PEAKS_PER_SECOND;
/** The shortest silence that a chunk lists. */
const MIN_LISTED_SILENCE = 0.3 * SAMPLE_RATE;
/** A cut lies at least this far inside a silence. */
const CUT_MARGIN = 0.1 * SAMPLE_RATE;
/** A cut that would leave less than this behind it is not made: the chunk takes the rest. */
const MIN_REMAINDER = SAMPLE_RATE;
/** The window, in peak buckets, over which the quietest point is measured. */
const QUIET_BUCKETS = 4;
const BYTES_PER_SAMPLE = 4;

export type ChunkPlan = {
  readonly minSamples: number;
  readonly windowSamples: number;
  readonly maxSamples: number;
  readonly minSilence: number;
};

const roundToBucket = (samples: number): number => Math.round(samples / PEAK_SAMPLES) * PEAK_SAMPLES;

/** Applies the defaults and converts seconds to samples. */
export const planChunks = (options: ChunkOptions = {}): ChunkPlan => {
  const { windowSeconds = 29.5, maxSeconds = Math.max(120, windowSeconds) } = options;
  const maxSamples = roundToBucket(maxSeconds * SAMPLE_RATE);
  const windowSamples = Math.min(maxSamples, roundToBucket(windowSeconds * SAMPLE_RATE));
  const minSamples = Math.max(PEAK_SAMPLES, roundToBucket((options.minSeconds ?? 15) * SAMPLE_RATE));
  return {
    minSamples: Math.min(minSamples, windowSamples),
    windowSamples,
    maxSamples,
    minSilence: Math.max(2 * CUT_MARGIN + PEAK_SAMPLES, (options.minSilence ?? 0.4) * SAMPLE_RATE),
  };
};

/** The middle of the quietest 0.2 s in the second half of [min, max], in samples. */
export const quietestPoint = (pcm: Float32Array, min: number, max: number): number => {
  const from = Math.floor(Math.max(min, max / 2) / PEAK_SAMPLES);
  const to = Math.floor(max / PEAK_SAMPLES);
  const energies: number[] = [];
  for (let bucket = from; bucket < to; bucket++) {
    let sum = 0;
    for (let i = bucket * PEAK_SAMPLES; i < (bucket + 1) * PEAK_SAMPLES; i++) sum += (pcm[i] ?? 0) ** 2;
    energies.push(sum);
  }
  let best = { bucket: to, energy: Number.POSITIVE_INFINITY };
  for (let i = 0; i + QUIET_BUCKETS <= energies.length; i++) {
    let energy = 0;
    for (let j = i; j < i + QUIET_BUCKETS; j++) energy += energies[j] ?? 0;
    if (energy < best.energy) best = { bucket: from + i + QUIET_BUCKETS / 2, energy };
  }
  return best.bucket * PEAK_SAMPLES;
};

/** Minimum and maximum of each bucket, -127 to 127; the last bucket may be short. */
export const peaksOf = (pcm: Float32Array): AudioChunk['peaks'] => {
  const buckets = Math.ceil(pcm.length / PEAK_SAMPLES);
  const min = new Int8Array(buckets);
  const max = new Int8Array(buckets);
  for (let bucket = 0; bucket < buckets; bucket++) {
    let low = 0;
    let high = 0;
    const end = Math.min(pcm.length, (bucket + 1) * PEAK_SAMPLES);
    for (let i = bucket * PEAK_SAMPLES; i < end; i++) {
      const value = pcm[i] ?? 0;
      if (value < low) low = value;
      else if (value > high) high = value;
    }
    min[bucket] = Math.max(-127, Math.round(low * 127));
    max[bucket] = Math.min(127, Math.round(high * 127));
  }
  return { min, max };
};

/**
 * Splits a stream of 32-bit float PCM into chunks, at silences. Where a chunk ends depends only on the audio from
 * its own start on, so a decode resumed at a chunk's start yields the same chunks. Positions are samples on the
 * source's timeline.
 *
 * Samples are copied once, out of the pipe's buffer into the memory that becomes the chunk's; those after the cut move on.
 */
export class Chunker {
  readonly #plan: ChunkPlan;
  readonly #silences: SilenceMap;
  /** Where the next chunk grows. */
  #samples = new Float32Array();
  /** The same memory as `#samples`: ffmpeg's reads may end in the middle of a sample. */
  #bytes = new Uint8Array();
  #filledBytes = 0;
  #start: number;
  #index: number;

  /** `start` and `index`: of the first chunk. */
  constructor(plan: ChunkPlan, start: number, index: number) {
    this.#plan = plan;
    this.#silences = new SilenceMap(start);
    this.#start = start;
    this.#index = index;
    this.#moveFrom(0, plan.windowSamples);
  }

  get #filled(): number {
    return Math.floor(this.#filledBytes / BYTES_PER_SAMPLE);
  }

  /** The position after the last sample received. */
  get position(): number {
    return this.#start + this.#filled;
  }

  /** Whether enough audio is buffered for `next` to yield a chunk. */
  get isReady(): boolean {
    return this.#filled >= this.#plan.windowSamples + MIN_REMAINDER;
  }

  /** Takes as many bytes as fit and returns how many; take chunks out with `next` before pushing the rest. */
  push(bytes: Uint8Array): number {
    if (this.#filledBytes === this.#bytes.length) this.#moveFrom(0, this.#plan.maxSamples);
    const part = bytes.subarray(0, this.#bytes.length - this.#filledBytes);
    const before = this.#filled;
    this.#bytes.set(part, this.#filledBytes);
    this.#filledBytes += part.length;
    this.#silences.read(this.#samples.subarray(before, this.#filled));
    return part.length;
  }

  /** The next chunk, or null if more audio is needed. With `ended`, whatever is left becomes the last chunk. */
  next(ended: boolean): AudioChunk | null {
    const cut = this.#cutPoint(ended);
    if (cut !== null) return this.#take(cut);
    return ended && this.#filled > 0 ? this.#take(this.#filled) : null;
  }

  #cutPoint(ended: boolean): number | null {
    return this.isReady ? (this.#cutInWindow() ?? this.#cutAfterWindow(ended)) : null;
  }

  /** In the last silence at which the chunk fits into the window; audio after the window must not matter. */
  #cutInWindow(): number | null {
    const { minSamples, windowSamples, minSilence } = this.#plan;
    const horizon = this.#start + windowSamples + MIN_REMAINDER;
    const cuts = this.#silences.within(this.#start, horizon, minSilence).flatMap((silence) => {
      const from = silence.start - this.#start;
      const to = silence.end - this.#start;
      const cut = roundToBucket(Math.min(windowSamples, Math.max(minSamples, (from + to) / 2)));
      return cut < from + CUT_MARGIN || cut > to - CUT_MARGIN ? [] : [cut];
    });
    return cuts.at(-1) ?? null;
  }

  /** In the first silence after the window; without one before the maximum length, at the quietest point. */
  #cutAfterWindow(ended: boolean): number | null {
    const { windowSamples, maxSamples, minSilence } = this.#plan;
    const available = this.#filled - MIN_REMAINDER;
    const isFull = available >= maxSamples;
    const end = this.#start + Math.min(this.#filled, maxSamples);
    for (const silence of this.#silences.within(this.#start, end, minSilence)) {
      const from = silence.start - this.#start;
      const to = silence.end - this.#start;
      // Its middle is only known once it has ended or reached the maximum length.
      if (silence.isOpen && !isFull && !ended) return null;
      const cut = roundToBucket(Math.min(maxSamples, Math.max(windowSamples, (from + to) / 2)));
      if (cut < from + CUT_MARGIN || cut > to - CUT_MARGIN) continue;
      return cut <= available ? cut : null;
    }
    return isFull ? quietestPoint(this.#samples, windowSamples, maxSamples) : null;
  }

  /** Moves what is buffered after the first `samples` to new memory, for a chunk of up to `length`. */
  #moveFrom(samples: number, length: number): void {
    const rest = this.#bytes.subarray(samples * BYTES_PER_SAMPLE, this.#filledBytes);
    const capacity = Math.max(length, rest.length / BYTES_PER_SAMPLE) + MIN_REMAINDER + SAMPLE_RATE;
    // Not zeroed: only what was written is read.
    const { buffer } = Buffer.allocUnsafeSlow(Math.ceil(capacity) * BYTES_PER_SAMPLE);
    this.#samples = new Float32Array(buffer);
    this.#bytes = new Uint8Array(buffer);
    this.#bytes.set(rest);
    this.#filledBytes = rest.length;
  }

  #take(length: number): AudioChunk {
    const pcm = this.#samples.subarray(0, length);
    this.#moveFrom(length, this.#plan.windowSamples);
    const start = this.#start;
    const end = start + length;
    const silences: Span[] = this.#silences
      .within(start, end, MIN_LISTED_SILENCE)
      .map((silence) => ({ start: toSeconds(silence.start), end: toSeconds(silence.end) }));
    this.#start = end;
    this.#silences.dropBefore(end);
    return {
      index: this.#index++,
      start: toSeconds(start),
      end: toSeconds(end),
      pcm,
      silences,
      peaks: peaksOf(pcm),
    };
  }
}
