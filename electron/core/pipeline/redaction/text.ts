import type { AnalysisOptions } from '../../../contract/transcript.ts';
import type { WritableDb } from '../../stores/database.ts';
import { deleteEdits } from '../../stores/edits.ts';
import { markForScrub } from '../../stores/scrub-mark.ts';
import { deleteSegments } from '../../stores/segments.ts';
import { findTranscript, updateTranscript } from '../../stores/transcripts.ts';

/** The options to store once the text is redacted: requests may name what was redacted. */
export const redactedOptions = (options: AnalysisOptions): AnalysisOptions =>
  options.redact_pii
    ? {
        ...options,
        prompt: undefined,
        known_speakers: undefined,
        custom_spelling: undefined,
        vocabulary: undefined,
        ...(options.foreign === undefined ? {} : { foreign: { ...options.foreign, texts: {} } }),
      }
    : options;

/**
 * Removes what was recognized by a job that ended before its text could be redacted, and its prompt; a retry starts from
 * the beginning. Call `runPendingScrub` after the commit.
 */
export const dropUnredacted = (db: WritableDb, id: string): void =>
  db.transaction(() => {
    deleteSegments(db, id);
    deleteEdits(db, id);
    const options = findTranscript(db, id)?.options;
    updateTranscript(db, id, {
      checkpoint: null,
      text: '',
      preview: '',
      wordCount: 0,
      confidence: null,
      ...(options === undefined ? {} : { options: redactedOptions(options) }),
    });
    markForScrub(db, 'log');
  });
