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

/** NaN is none, as in silencedetect. */
const isSilent = (sample: number): boolean => sample > -SILENCE_LEVEL && sample < SILENCE_LEVEL;

/** The index after the last sample between two that is not silent; `from` if all are. */
const afterLastSound = (samples: Float32Array, from: number, to: number): number => {
  let after = to;
  while (after > from && isSilent(samples[after - 1] ?? 0)) after--;
  return after;
};

/** The index of the first sample from one on that is not silent; the length if all are. */
const nextSound = (samples: Float32Array, from: number): number => {
  let at = from;
  while (at < samples.length && isSilent(samples[at] ?? 0)) at++;
  return at;
};

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

  /**
   * Reads the next samples of the stream. Of sound it reads few: the last loud sample of the next 0.2 s rules out every
   * silence that begins before it, as in the string search of Boyer and Moore.
   */
  read(samples: Float32Array): void {
    const position = this.#position;
    // All samples from `#quietSince` up to `at` are silent.
    for (let at = 0; at < samples.length; ) {
      const enough = this.#quietSince + SILENCE_SAMPLES - position;
      if (at < enough) {
        const to = Math.min(enough, samples.length);
        const after = afterLastSound(samples, at, to);
        if (after > at) this.#quietSince = position + after;
        at = to;
      } else {
        at = nextSound(samples, at);
        if (at === samples.length) break;
        this.#ended.push(silenceOf(this.#quietSince, position + at));
        this.#quietSince = position + ++at;
      }
    }
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
