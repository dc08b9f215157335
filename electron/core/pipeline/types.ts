import type { Stage } from '../../contract/transcript.ts';
import type { StoredSegment } from '../stores/segments.ts';
import type { Transcript } from '../stores/transcript-record.ts';

/** How far a job is. Percent is of the whole job; a report that would go back is held at what was said before. */
export type JobReport = {
  readonly stage: Stage;
  readonly percent: number;
  readonly etaSeconds: number | null;
  /** Times real time. */
  readonly speed: number | null;
};

/** A claimed job, and how it speaks to the world. */
export type JobContext = {
  /** As it was when it was claimed; `attempt` is the token that every write carries. */
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
  readonly report: (report: JobReport) => void;
  /** Segments that were just saved, in order. */
  readonly recognised: (segments: readonly StoredSegment[]) => void;
  /** All chunks are with the engine: another job may begin, so that no core waits for the last of them. */
  readonly windsUp: () => void;
};

/** Works on a claimed job until it is completed; throws an AppError when it fails. */
export type JobWork = (context: JobContext) => Promise<void>;

/** Why a running job was told to stop. */
export type StopReason = 'cancelled' | 'shutdown' | 'deleted';
