import { AnalysisOptions } from '../../../contract/transcript.ts';
import type { WritableDb } from '../../stores/database.ts';
import type { TranscriptRow } from '../../stores/schema.ts';
import { markForScrub } from '../../stores/scrub.ts';
import { deleteSegments } from '../../stores/segments.ts';
import { updateTranscript } from '../../stores/transcripts.ts';

/** Whether private data is to be taken out of this transcript, or was. */
export const isToBeRedacted = (row: Pick<TranscriptRow, 'options'>): boolean =>
  AnalysisOptions.parse(JSON.parse(row.options)).redact_pii;

/** The options as they are kept: a prompt may name what was redacted. */
export const storedOptions = (row: Pick<TranscriptRow, 'options'>): string => {
  const options = AnalysisOptions.parse(JSON.parse(row.options));
  return JSON.stringify(options.redact_pii ? { ...options, prompt: undefined } : options);
};

/**
 * Removes what was recognized by a job that ended before its text could be redacted; a retry starts from the
 * beginning. Call `runPendingScrub` after the commit.
 */
export const dropUnredacted = (db: WritableDb, id: string): void =>
  db.transaction(() => {
    deleteSegments(db, id);
    updateTranscript(db, id, { checkpoint: null, text: '', preview: '', word_count: 0, confidence: null });
    markForScrub(db, 'log');
  });
