import { AnalysisOptions } from '../../../contract/transcript.ts';
import type { TranscriptRow } from '../../stores/schema.ts';
import { deleteSegments } from '../../stores/segments.ts';
import { updateTranscript } from '../../stores/transcripts.ts';
import type { PipelineDeps } from '../deps.ts';

/** Whether private data is to be taken out of this transcript, or was. */
export const isToBeRedacted = (row: Pick<TranscriptRow, 'options'>): boolean =>
  AnalysisOptions.parse(JSON.parse(row.options)).redact_pii;

/** The options as they are kept: a prompt may name what was redacted. */
export const storedOptions = (row: Pick<TranscriptRow, 'options'>): string => {
  const options = AnalysisOptions.parse(JSON.parse(row.options));
  return JSON.stringify(options.redact_pii ? { ...options, prompt: undefined } : options);
};

/**
 * Removes what was recognised of a job that ended before it could be redacted: nothing unredacted stays.
 * Another try begins at the beginning.
 */
export const dropUnredacted = (db: PipelineDeps['db'], id: string): void => {
  db.transaction(() => {
    deleteSegments(db, id);
    updateTranscript(db, id, { checkpoint: null, text: '', preview: '', word_count: 0, confidence: null });
  });
  db.checkpoint();
};
