import { clamp } from '../../base/numbers.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import type { JobContext } from '../types.ts';

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
  /** Another pass over the audio that follows: where it begins in the progress, and how long it takes if that is known. */
  readonly next?: { readonly percent: number; readonly seconds: number | null } | undefined;
};

/** How far the recognition of a job's audio is, and how fast. Positions are seconds on the source's timeline. */
export class RecognitionProgress {
  readonly #options: ProgressOptions;
  readonly #startedFrom: number;
  readonly #startedAt: number;

  constructor(options: ProgressOptions, startedFrom: number) {
    this.#options = options;
    this.#startedFrom = startedFrom;
    this.#startedAt = options.deps.clock.monotonic();
  }

  report(position: number): void {
    const { range, context, next } = this.#options;
    const speed = this.#speed(position);
    if (!Number.isFinite(range.expectedEnd)) {
      context.onProgress({ stage: 'transcribing', percent: START_PERCENT, etaSeconds: null, speed });
      return;
    }
    const share = clamp((position - range.start) / Math.max(0.001, range.expectedEnd - range.start), 0, 1);
    const { percent, seconds } = next ?? { percent: END_PERCENT, seconds: 0 };
    const isKnown = speed !== null && speed !== 0 && seconds !== null;
    context.onProgress({
      stage: 'transcribing',
      percent: START_PERCENT + share * (percent - START_PERCENT),
      etaSeconds: isKnown ? Math.max(0, range.expectedEnd - position) / speed + seconds : null,
      speed,
    });
  }

  /** Saves the speed of the recognition up to its end, for the next jobs of the model. */
  saveSpeed(end: number): void {
    const { deps, model } = this.#options;
    const seconds = end - this.#startedFrom;
    const elapsed = this.#elapsedSeconds();
    if (seconds >= MIN_MEASURED_SECONDS && elapsed > 0) deps.models.saveSpeed(model.id, seconds / elapsed);
  }

  #elapsedSeconds(): number {
    return (this.#options.deps.clock.monotonic() - this.#startedAt) / 1000;
  }

  /** Times real time: as measured, or at first that of the model's earlier jobs. */
  #speed(position: number): number | null {
    const { deps, model } = this.#options;
    const elapsed = this.#elapsedSeconds();
    const seconds = position - this.#startedFrom;
    if (elapsed < 1 || seconds < MIN_MEASURED_SECONDS) return deps.models.speedOf(model.id) ?? null;
    return seconds / elapsed;
  }
}
