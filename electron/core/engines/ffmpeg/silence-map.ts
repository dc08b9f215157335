import { SAMPLE_RATE } from '../../base/audio.ts';

/** Samples (20 ms) to whose multiples on the source's timeline the ends of silences are rounded. */
const FRAME_SAMPLES = 320;
/** -50 dB below full scale, as a 32-bit float. */
const SILENCE_LEVEL = Math.fround(10 ** (-50 / 20));
/** The shortest run of samples below the level that is a silence: 0.2 s. */
const SILENCE_SAMPLES = 0.2 * SAMPLE_RATE;

/** In samples on the source's timeline; `end` is infinite while the silence continues. */
type Silence = { readonly start: number; readonly end: number };

/** A silence, its start rounded up and its end down to a frame. */
const silenceOf = (start: number, end: number): Silence => ({
  start: Math.ceil(start / FRAME_SAMPLES) * FRAME_SAMPLES,
  end: Math.floor(end / FRAME_SAMPLES) * FRAME_SAMPLES,
});

/** Finds the silences of a stream of samples: the same as `silencedetect=noise=-50dB:duration=0.2` of ffmpeg. */
export class SilenceMap {
  #ended: Silence[] = [];
  /** The position after the last sample that was read. */
  #position: number;
  /** The position after the last one of them that was not silent. */
  #quietSince: number;

  /** `start`: the position of the first sample. */
  constructor(start: number) {
    this.#position = start;
    this.#quietSince = start;
  }

  /** Reads the next samples of the stream. */
  read(samples: Float32Array): void {
    const position = this.#position;
    let quietSince = this.#quietSince;
    for (let i = 0; i < samples.length; i++) {
      const value = samples[i] ?? 0;
      // NaN is no silence, as in silencedetect.
      if (value > -SILENCE_LEVEL && value < SILENCE_LEVEL) continue;
      const at = position + i;
      if (at - quietSince >= SILENCE_SAMPLES) this.#ended.push(silenceOf(quietSince, at));
      quietSince = at + 1;
    }
    this.#quietSince = quietSince;
    this.#position = position + samples.length;
  }

  /** Drops the silences that ended before a position. */
  dropBefore(sample: number): void {
    this.#ended = this.#ended.filter(({ end }) => end > sample);
  }

  /**
   * The silences of at least `minSamples` between two positions, clipped to them. A start within two frames of
   * `from` counts as `from`, so that a decode that starts inside a silence sees the same as one that ran through
   * it. `isOpen`: as far as is known, the silence continues past `to`.
   */
  within(from: number, to: number, minSamples: number): { start: number; end: number; isOpen: boolean }[] {
    const isQuiet = this.#position - this.#quietSince >= SILENCE_SAMPLES;
    const open = isQuiet ? [silenceOf(this.#quietSince, Number.POSITIVE_INFINITY)] : [];
    return [...this.#ended, ...open].flatMap((silence) => {
      const start = silence.start <= from + 2 * FRAME_SAMPLES ? from : silence.start;
      const end = Math.min(to, silence.end);
      return end - start >= minSamples ? [{ start, end, isOpen: silence.end > to }] : [];
    });
  }
}
