import { SAMPLE_RATE } from '../../base/audio.ts';

/** ffmpeg's audio is cut into frames of this many samples (20 ms) before silence is looked for. */
export const FRAME_SAMPLES = 320;
/** Samples below this, for at least SILENCE_SECONDS, are a silence. */
const SILENCE_LEVEL = '-50dB';
const SILENCE_SECONDS = 0.2;
const SILENCE_SAMPLES = SILENCE_SECONDS * SAMPLE_RATE;

/**
 * Filters that report silences on the log. silencedetect prints its times with six digits, which is only
 * 0.1 s after three hours; ametadata prints the exact sample position of the frame in which it happened.
 */
export const SILENCE_FILTERS = `asetnsamples=n=${FRAME_SAMPLES}:p=0,silencedetect=noise=${SILENCE_LEVEL}:duration=${SILENCE_SECONDS},ametadata=mode=print`;

/** Samples from ffmpeg's zero; `end` is null while the silence goes on. */
export type SilentRun = { readonly start: number; readonly end: number | null };

export type SilenceEvent = { readonly kind: 'start' | 'end'; readonly sample: number };

/**
 * Reads the log lines of SILENCE_FILTERS. A `frame:… pts:…` line gives the position of the
 * `lavfi.silence_…` lines after it. Starts are rounded up and ends down to a frame.
 */
export class SilenceParser {
  #framePts: number | null = null;

  /** The event that a line reports, or null. */
  read(line: string): SilenceEvent | null {
    const text = /^\[Parsed_ametadata_\d+ @ [^\]]*\] (.*)$/.exec(line)?.[1];
    if (text === undefined) return null;
    const frame = /^frame:\d+\s+pts:(-?\d+)\s/.exec(text)?.[1];
    if (frame !== undefined) this.#framePts = Number(frame);
    if (this.#framePts === null) return null;
    if (text.startsWith('lavfi.silence_start=')) {
      const found = this.#framePts + FRAME_SAMPLES - SILENCE_SAMPLES;
      return { kind: 'start', sample: Math.max(0, found) };
    }
    if (text.startsWith('lavfi.silence_end=')) return { kind: 'end', sample: this.#framePts };
    return null;
  }
}

/** The silences seen so far, in order; those that are no longer of interest are dropped. */
export class SilenceMap {
  #runs: SilentRun[] = [];

  add(event: SilenceEvent): void {
    const last = this.#runs.at(-1);
    const open = last !== undefined && last.end === null;
    if (event.kind === 'start') {
      if (!open) this.#runs.push({ start: event.sample, end: null });
    } else if (open) {
      this.#runs[this.#runs.length - 1] = { start: last.start, end: Math.max(last.start, event.sample) };
    }
  }

  /** Forgets what ended before a position. */
  dropBefore(sample: number): void {
    this.#runs = this.#runs.filter(({ end }) => end === null || end > sample);
  }

  /**
   * The silences between two positions, clipped to them, of at least `minSamples`. A start within two
   * frames of `from` counts as `from`: a decode that begins inside a silence then sees the same as one
   * that has run through it. `open` says that the silence goes on at `to`, as far as is known.
   */
  within(from: number, to: number, minSamples: number): { start: number; end: number; open: boolean }[] {
    return this.#runs.flatMap((run) => {
      const start = run.start <= from + 2 * FRAME_SAMPLES ? from : run.start;
      const end = Math.min(to, run.end ?? to);
      const open = run.end === null || run.end > to;
      return end - start >= minSamples ? [{ start, end, open }] : [];
    });
  }
}
