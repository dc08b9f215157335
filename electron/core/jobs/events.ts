import { Emitter } from '../base/emitter.ts';
import type { Transcript } from '../stores/codecs.ts';
import type { StoredSegment } from '../stores/segments.ts';
import type { StoredSummary } from '../stores/transcripts.ts';

export type JobProgress = {
  readonly transcript: StoredSummary;
  readonly segments: readonly StoredSegment[];
  readonly from: number;
};

type Events = {
  /** A running job made progress; `segments` were just saved, the first of them with the id `from`. */
  progress: JobProgress;
  /** A job that ran is completed or failed. */
  finished: Transcript;
  /** A job neither waits nor runs any more: it finished, was cancelled while it waited, or was deleted. */
  settled: { readonly id: string };
};

/** What happens to jobs. Whoever shows, sends or counts it subscribes; the runner knows no subscriber. */
export class JobEvents extends Emitter<Events> {}
