import type { Stage } from '../../contract/job.ts';
import type { StoredSegment } from '../stores/segments.ts';
import type { Transcript } from '../stores/transcript-record.ts';

/** How far a job is. */
export type JobProgress = {
  readonly stage: Stage;
  /** Of the whole job. The runner never lets it go back. */
  readonly percent: number;
  readonly etaSeconds: number | null;
  /** Times real time. */
  readonly speed: number | null;
};

/** A claimed job, and the callbacks of its runner. */
export type JobContext = {
  /** As of the claim. Every write carries its `attempt`. */
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JobProgress) => void;
  /** Called with segments, in order, after they are saved. */
  readonly onSegmentsSaved: (segments: readonly StoredSegment[]) => void;
  /** All chunks are submitted to the engine; only their results and the analyses are outstanding. */
  readonly onDraining: () => void;
};

/** Runs a claimed job until it is completed; throws an AppError if it fails. */
export type JobWork = (context: JobContext) => Promise<void>;

/** Why a running job is aborted: the reason of its signal. */
export type StopReason = 'cancelled' | 'shutdown' | 'deleted';
