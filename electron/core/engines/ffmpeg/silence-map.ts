import { SAMPLE_RATE } from '../../base/audio.ts';

/** Samples (20 ms) in the frames that the audio is split into before silencedetect sees it. */
const FRAME_SAMPLES = 320;
/** Samples below this level for at least SILENCE_SECONDS are a silence. */
const SILENCE_LEVEL = '-50dB';
const SILENCE_SECONDS = 0.2;
const SILENCE_SAMPLES = SILENCE_SECONDS * SAMPLE_RATE;

/**
 * Filters that log silences. silencedetect prints times with six digits, so only to 0.1 s after three hours;
 * ametadata adds the exact sample position of the frame in which a silence started or ended.
 */
export const SILENCE_FILTERS = `asetnsamples=n=${FRAME_SAMPLES}:p=0,silencedetect=noise=${SILENCE_LEVEL}:duration=${SILENCE_SECONDS},ametadata=mode=print`;

/** In samples from ffmpeg's zero; `end` is null while the silence continues. */
type SilentRun = { readonly start: number; readonly end: number | null };

export type SilenceEvent = { readonly kind: 'start' | 'end'; readonly sample: number };

/**
 * Parses the log lines of SILENCE_FILTERS. A `frame:… pts:…` line gives the position of the
 * `lavfi.silence_…` lines after it. Starts are rounded up and ends down to a frame.
 */
export class SilenceParser {
  #framePts: number | null = null;

  /** The event on this line, or null. */
  read(line: string): SilenceEvent | null {
    const text = /^\[Parsed_ametadata_\d+ @ [^\]]*\] (.*)$/.exec(line)?.[1];
    if (text === undefined) return null;
    const frame = /^frame:\d+\s+pts:(-?\d+)\s/.exec(text)?.[1];
    if (frame !== undefined) this.#framePts = Number(frame);
    if (this.#framePts === null) return null;
    if (text.startsWith('lavfi.silence_start=')) {
      const start = this.#framePts + FRAME_SAMPLES - SILENCE_SAMPLES;
      return { kind: 'start', sample: Math.max(0, start) };
    }
    if (text.startsWith('lavfi.silence_end=')) return { kind: 'end', sample: this.#framePts };
    return null;
  }
}

/** The silences logged so far, in order. */
export class SilenceMap {
  #runs: SilentRun[] = [];

  add(event: SilenceEvent): void {
    const last = this.#runs.at(-1);
    const isOpen = last !== undefined && last.end === null;
    if (event.kind === 'start') {
      if (!isOpen) this.#runs.push({ start: event.sample, end: null });
    } else if (isOpen) {
      this.#runs[this.#runs.length - 1] = { start: last.start, end: Math.max(last.start, event.sample) };
    }
  }

  /** Drops the silences that ended before a position. */
  dropBefore(sample: number): void {
    this.#runs = this.#runs.filter(({ end }) => end === null || end > sample);
  }

  /**
   * The silences of at least `minSamples` between two positions, clipped to them. A start within two frames of
   * `from` counts as `from`, so that a decode that starts inside a silence sees the same as one that ran through
   * it. `isOpen`: as far as is known, the silence continues past `to`.
   */
  within(from: number, to: number, minSamples: number): { start: number; end: number; isOpen: boolean }[] {
    return this.#runs.flatMap((run) => {
      const start = run.start <= from + 2 * FRAME_SAMPLES ? from : run.start;
      const end = Math.min(to, run.end ?? to);
      const isOpen = run.end === null || run.end > to;
      return end - start >= minSamples ? [{ start, end, isOpen }] : [];
    });
  }
}
