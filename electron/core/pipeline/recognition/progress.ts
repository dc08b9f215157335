import { clamp } from '../../base/numbers.ts';
import type { JobContext, PipelineDeps, PipelineModel } from '../deps.ts';

/** Of the whole job. */
export const START_PERCENT = 10;
export const END_PERCENT = 95;
/** Seconds of audio below which a measured speed says little. */
export const MIN_MEASURED_SECONDS = 5;

/** A part of the audio, in seconds on the source's timeline. */
export type AudioRange = {
  readonly start: number;
  /** null: to the end of the audio. */
  readonly end: number | null;
  /** For progress alone; infinite if unknown. */
  readonly expectedEnd: number;
};

type ProgressOptions = {
  readonly deps: Pick<PipelineDeps, 'clock'> & {
    readonly models: Pick<PipelineDeps['models'], 'speedOf' | 'saveSpeed'>;
  };
  readonly context: Pick<JobContext, 'onProgress'>;
  readonly model: Pick<PipelineModel, 'id'>;
  readonly range: AudioRange;
  /** How many streams of audio are recognized over that range. */
  readonly streams: readonly unknown[];
  /** Another pass over the audio that follows: where it begins in the progress, and how long it takes if that is known. */
  readonly next?: { readonly percent: number; readonly seconds: number | null } | undefined;
};

/** How far the recognition of a job's audio is, and how fast. Counts the seconds of all streams. */
export class RecognitionProgress {
  readonly #options: ProgressOptions;
  readonly #startedWith: number;
  readonly #startedAt: number;
  /** Seconds of audio in all streams; infinite if unknown. */
  #total: number;

  /** `startedWith`: seconds that an earlier attempt has recognized. */
  constructor(options: ProgressOptions, startedWith: number) {
    const { range, streams, deps } = options;
    this.#options = options;
    this.#startedWith = startedWith;
    this.#startedAt = deps.clock.monotonic();
    this.#total = Math.max(0.001, streams.length * Math.max(0, range.expectedEnd - range.start));
  }

  /** A stream has ended that many seconds before the expected end. */
  shorten(seconds: number): void {
    if (Number.isFinite(seconds)) this.#total = Math.max(0.001, this.#total - seconds);
  }

  /** `recognized`: seconds of all streams. */
  report(recognized: number): void {
    const { context, next, streams } = this.#options;
    const measured = this.#speed(recognized);
    // A second of a recording with two channels is two seconds of work.
    const speed = measured === null ? null : measured / streams.length;
    if (!Number.isFinite(this.#total)) {
      context.onProgress({ stage: 'transcribing', percent: START_PERCENT, etaSeconds: null, speed });
      return;
    }
    const share = clamp(recognized / this.#total, 0, 1);
    const { percent, seconds } = next ?? { percent: END_PERCENT, seconds: 0 };
    const isKnown = measured !== null && measured !== 0 && seconds !== null;
    context.onProgress({
      stage: 'transcribing',
      percent: START_PERCENT + share * (percent - START_PERCENT),
      etaSeconds: isKnown ? Math.max(0, this.#total - recognized) / measured + seconds : null,
      speed,
    });
  }

  /** Saves the speed for the next jobs of the model. */
  saveSpeed(recognized: number): void {
    const { deps, model } = this.#options;
    const seconds = recognized - this.#startedWith;
    const elapsed = this.#elapsedSeconds();
    if (seconds >= MIN_MEASURED_SECONDS && elapsed > 0) deps.models.saveSpeed(model.id, seconds / elapsed);
  }

  #elapsedSeconds(): number {
    return (this.#options.deps.clock.monotonic() - this.#startedAt) / 1000;
  }

  /** Seconds of any stream per second: as measured, or at first that of the model's earlier jobs. */
  #speed(recognized: number): number | null {
    const { deps, model } = this.#options;
    const elapsed = this.#elapsedSeconds();
    const seconds = recognized - this.#startedWith;
    if (elapsed < 1 || seconds < MIN_MEASURED_SECONDS) return deps.models.speedOf(model.id) ?? null;
    return seconds / elapsed;
  }
}
