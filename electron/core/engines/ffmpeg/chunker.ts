import { PEAKS_PER_SECOND, SAMPLE_RATE, toSamples, toSeconds } from '../../base/audio.ts';
import type { AudioChunk, ChunkOptions, FindSpeech, Span } from './types.ts';

/** Samples of one peak bucket. */
const PEAK_SAMPLES = SAMPLE_RATE / PEAKS_PER_SECOND;
/** The shortest pause to cut in where there is a choice. */
const MIN_PAUSE = 0.4 * SAMPLE_RATE;
/** Of a pause, at most this much is left to the chunk after it. */
const LEAD = 0.5 * SAMPLE_RATE;
/** A cut lies at least this far inside a pause. */
const CUT_MARGIN = 0.1 * SAMPLE_RATE;
/** A cut that would leave less than this behind it is not made: the chunk takes the rest. */
const MIN_REMAINDER = 0.4 * SAMPLE_RATE;
/** The window, in peak buckets, over which the quietest point is measured. */
const QUIET_BUCKETS = 4;
const BYTES_PER_SAMPLE = 4;

export type ChunkPlan = {
  readonly minSamples: number;
  readonly windowSamples: number;
  readonly findSpeech: FindSpeech;
};

const roundToBucket = (samples: number): number => Math.round(samples / PEAK_SAMPLES) * PEAK_SAMPLES;

const allIsSpeech: FindSpeech = async ({ length }) => [{ start: 0, end: toSeconds(length) }];

/** Applies the defaults and converts seconds to samples. */
export const planChunks = ({
  minSeconds = 15,
  windowSeconds = 29.5,
  findSpeech = allIsSpeech,
}: ChunkOptions = {}): ChunkPlan => {
  const windowSamples = roundToBucket(windowSeconds * SAMPLE_RATE);
  const minSamples = Math.max(PEAK_SAMPLES, roundToBucket(minSeconds * SAMPLE_RATE));
  return { minSamples: Math.min(minSamples, windowSamples), windowSamples, findSpeech };
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

/** The spans between spans of speech, up to `length`; in samples. */
const pausesIn = (speech: readonly Span[], length: number): Span[] => {
  const borders = [0, ...speech.flatMap(({ start, end }) => [toSamples(start), toSamples(end)]), length];
  return Array.from({ length: speech.length + 1 }, (_, index) => ({
    start: borders[2 * index] ?? 0,
    end: borders[2 * index + 1] ?? length,
  }));
};

/**
 * Splits a stream of 32-bit float PCM into chunks, in pauses of speech. Where a chunk ends depends only on the audio from
 * its own start on, so a decode resumed at a chunk's start yields the same chunks. Positions are samples on the
 * source's timeline.
 *
 * Samples are copied once, out of the pipe's buffer into the memory that becomes the chunk's; those after the cut move on.
 */
export class Chunker {
  readonly #plan: ChunkPlan;
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
    this.#start = start;
    this.#index = index;
    this.#moveFrom(0);
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
    const part = bytes.subarray(0, this.#bytes.length - this.#filledBytes);
    this.#bytes.set(part, this.#filledBytes);
    this.#filledBytes += part.length;
    return part.length;
  }

  /** The next chunk, or null if more audio is needed. With `ended`, whatever is left becomes the last chunk. */
  async next(ended: boolean): Promise<AudioChunk | null> {
    if (!this.isReady && (!ended || this.#filled === 0)) return null;
    // Audio after the window must not matter, since an interrupted decode may have got further.
    const horizon = Math.min(this.#filled, this.#plan.windowSamples + MIN_REMAINDER);
    const speech = await this.#plan.findSpeech(this.#samples.subarray(0, horizon));
    return this.#take(this.isReady ? this.#cutPoint(speech, horizon) : this.#filled, speech);
  }

  /** In the last pause at which the chunk fits into the window, else in the longest there is, else at the quietest point. */
  #cutPoint(speech: readonly Span[], horizon: number): number {
    const { minSamples, windowSamples } = this.#plan;
    const cuts = pausesIn(speech, horizon).flatMap(({ start, end }) => {
      const latest = end - Math.min(LEAD, (end - start) / 2);
      const cut = roundToBucket(Math.min(windowSamples, Math.max(minSamples, latest)));
      const margin = Math.min(CUT_MARGIN, (end - start) / 4);
      return end - start < PEAK_SAMPLES || cut < start + margin || cut > end - margin
        ? []
        : [{ cut, length: end - start }];
    });
    const long = cuts.findLast(({ length }) => length >= MIN_PAUSE);
    const [longest] = cuts.toSorted((a, b) => b.length - a.length);
    return (long ?? longest)?.cut ?? quietestPoint(this.#samples, minSamples, windowSamples);
  }

  /** Moves what is buffered after the first `samples` to new memory, for the next chunk. */
  #moveFrom(samples: number): void {
    const rest = this.#bytes.subarray(samples * BYTES_PER_SAMPLE, this.#filledBytes);
    const capacity = this.#plan.windowSamples + MIN_REMAINDER + SAMPLE_RATE;
    // Not zeroed: only what was written is read.
    const { buffer } = Buffer.allocUnsafeSlow(Math.ceil(capacity) * BYTES_PER_SAMPLE);
    this.#samples = new Float32Array(buffer);
    this.#bytes = new Uint8Array(buffer);
    this.#bytes.set(rest);
    this.#filledBytes = rest.length;
  }

  #take(length: number, speech: readonly Span[]): AudioChunk {
    const pcm = this.#samples.subarray(0, length);
    this.#moveFrom(length);
    const [start, end] = [toSeconds(this.#start), toSeconds(this.#start + length)];
    this.#start += length;
    return {
      index: this.#index++,
      start,
      end,
      pcm,
      speech: speech
        .map((span) => ({ start: start + span.start, end: Math.min(end, start + span.end) }))
        .filter((span) => span.end > span.start),
      peaks: peaksOf(pcm),
    };
  }
}
