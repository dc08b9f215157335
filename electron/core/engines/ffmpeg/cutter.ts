import { SAMPLE_RATE, toSeconds } from '../../base/audio.ts';
import type { SilenceMap } from './silence-map.ts';
import type { AudioPiece, CutOptions, Span } from './types.ts';

/** Samples of one peak bucket, 1/20 s. Pieces begin and end on bucket borders. */
export const PEAK_SAMPLES = 800;
/** The shortest silence that a piece reports. */
const REPORTED_SILENCE = 0.3 * SAMPLE_RATE;
/** A cut lies at least this far inside a silence. */
const MARGIN = 0.1 * SAMPLE_RATE;
/** A piece is never cut so that less than this would follow: it then takes the rest. */
const MIN_REST = SAMPLE_RATE;
/** The quietest stretch is looked for in steps of a bucket, over this many. */
const QUIET_BUCKETS = 4;

export type CutPlan = {
  readonly minSamples: number;
  readonly windowSamples: number;
  readonly maxSamples: number;
  readonly minSilence: number;
};

const toBucket = (samples: number): number => Math.round(samples / PEAK_SAMPLES) * PEAK_SAMPLES;

/** Fills in the defaults, in samples. */
export const planCuts = (options: CutOptions = {}): CutPlan => {
  const maxSamples = toBucket((options.maxSeconds ?? 120) * SAMPLE_RATE);
  const windowSamples = Math.min(maxSamples, toBucket((options.windowSeconds ?? 29.5) * SAMPLE_RATE));
  const minSamples = Math.max(PEAK_SAMPLES, toBucket((options.minSeconds ?? 15) * SAMPLE_RATE));
  return {
    minSamples: Math.min(minSamples, windowSamples),
    windowSamples,
    maxSamples,
    minSilence: Math.max(2 * MARGIN + PEAK_SAMPLES, (options.minSilence ?? 0.4) * SAMPLE_RATE),
  };
};

/** The middle of the quietest 0.2 s of the second half of [min, max], in samples. */
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

/** Minima and maxima of each bucket as -127 to 127; the last bucket may be a short one. */
export const peaksOf = (pcm: Float32Array): AudioPiece['peaks'] => {
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
 * Cuts a stream of PCM into pieces. Where a piece ends depends only on the audio from its own start on, so
 * that a decode resumed at a piece's start makes the same pieces. Positions are samples of 16 kHz on the
 * source's timeline; silences are on the same timeline.
 */
export class Cutter {
  readonly #plan: CutPlan;
  readonly #silences: SilenceMap;
  readonly #buffer: Float32Array<ArrayBuffer>;
  #filled = 0;
  #start: number;
  #index: number;

  constructor(plan: CutPlan, silences: SilenceMap, start: number, index: number) {
    this.#plan = plan;
    this.#silences = silences;
    this.#buffer = new Float32Array(plan.maxSamples + MIN_REST + SAMPLE_RATE);
    this.#start = start;
    this.#index = index;
  }

  /** How many samples may be pushed before `next` must be asked. */
  get room(): number {
    return this.#buffer.length - this.#filled;
  }

  /** Whether enough is there that `next` may give a piece. */
  get ready(): boolean {
    return this.#filled >= this.#plan.windowSamples + MIN_REST;
  }

  push(samples: Float32Array): void {
    this.#buffer.set(samples, this.#filled);
    this.#filled += samples.length;
  }

  /** The next piece, or null where more audio is needed; with `ended`, what is left is the last piece. */
  next(ended: boolean): AudioPiece | null {
    const cut = this.#cutPoint(ended);
    if (cut !== null) return this.#take(cut, false);
    return ended && this.#filled > 0 ? this.#take(this.#filled, true) : null;
  }

  #cutPoint(ended: boolean): number | null {
    return this.ready ? (this.#cutInWindow() ?? this.#cutAfterWindow(ended)) : null;
  }

  /** In the last silence that lets the piece end within the window. What comes later must not matter. */
  #cutInWindow(): number | null {
    const { minSamples, windowSamples, minSilence } = this.#plan;
    const horizon = this.#start + windowSamples + MIN_REST;
    const cuts = this.#silences.within(this.#start, horizon, minSilence).flatMap((silence) => {
      const from = silence.start - this.#start;
      const to = silence.end - this.#start;
      const cut = toBucket(Math.min(windowSamples, Math.max(minSamples, (from + to) / 2)));
      return cut < from + MARGIN || cut > to - MARGIN ? [] : [cut];
    });
    return cuts.at(-1) ?? null;
  }

  /** In the first silence after the window; where there is none up to the longest piece, at its quietest point. */
  #cutAfterWindow(ended: boolean): number | null {
    const { windowSamples, maxSamples, minSilence } = this.#plan;
    const available = this.#filled - MIN_REST;
    const full = available >= maxSamples;
    const end = this.#start + Math.min(this.#filled, maxSamples);
    for (const silence of this.#silences.within(this.#start, end, minSilence)) {
      const from = silence.start - this.#start;
      const to = silence.end - this.#start;
      // How far it reaches is only known once it has ended, or reached the longest piece.
      if (silence.open && !full && !ended) return null;
      const cut = toBucket(Math.min(maxSamples, Math.max(windowSamples, (from + to) / 2)));
      if (cut < from + MARGIN || cut > to - MARGIN) continue;
      return cut <= available ? cut : null;
    }
    return full ? quietestPoint(this.#buffer, windowSamples, maxSamples) : null;
  }

  #take(length: number, last: boolean): AudioPiece {
    const pcm = this.#buffer.slice(0, length);
    this.#buffer.copyWithin(0, length, this.#filled);
    this.#filled -= length;
    const start = this.#start;
    const end = start + length;
    const silences: Span[] = this.#silences
      .within(start, end, REPORTED_SILENCE)
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
      last,
    };
  }
}
