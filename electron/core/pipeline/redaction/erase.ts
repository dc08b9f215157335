import type { RedactedSource } from '../../../contract/analysis.ts';
import type { AnalysisOptions } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import type { Transcript, TranscriptChange } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import { deleteEdits } from '../../stores/edits.ts';
import { markForScrub } from '../../stores/scrub-mark.ts';
import { deleteSegments } from '../../stores/segments.ts';
import { findChangeable, findTranscript, updateTranscript } from '../../stores/transcripts.ts';
import type { PipelineDeps } from '../deps.ts';

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

const KEPT_IN_USE = warningOf('source_kept');

type SettledSource = {
  /** Undefined for a transcript that is not redacted. */
  readonly outcome: RedactedSource | undefined;
  readonly change: Pick<TranscriptChange, 'fileId'>;
  readonly warnings: readonly StoredWarning[];
  /** Removes the bytes of a deleted file. Call it right after the commit. */
  readonly finish: () => Promise<void>;
};

/** Whether a transcript without a stored file was made from one. */
const wasStored = ({ fileId, audioUrl, analysis }: Pick<Transcript, 'fileId' | 'audioUrl' | 'analysis'>) => {
  const earlier = analysis.redaction_report?.source;
  return (
    fileId !== null || (earlier === undefined ? audioUrl.startsWith('storage:') : earlier !== 'not_stored')
  );
};

/**
 * Keeps or deletes the stored file of a redacted transcript as requested, in the transaction that finishes it: a crash
 * leaves either the file with an unfinished job, or neither.
 */
export const settleSource = (
  { db, files }: Pick<PipelineDeps, 'db' | 'files'>,
  transcript: Pick<Transcript, 'id' | 'options' | 'analysis' | 'audioUrl' | 'fileId'>,
): SettledSource => {
  const settled = (outcome: RedactedSource | undefined): SettledSource => ({
    outcome,
    change: {},
    warnings: [],
    finish: async () => {},
  });
  const { id, options } = transcript;
  if (!options.redact_pii) return settled(undefined);
  // The file may have been deleted since the job was claimed.
  const fileId = findChangeable(db, id)?.fileId ?? null;
  if (fileId === null) return settled(wasStored(transcript) ? 'deleted' : 'not_stored');
  if (options.redact_source === 'keep') return settled('kept');
  const finish = files.discard(fileId, id);
  if (finish === undefined) return { ...settled('kept_in_use'), warnings: [KEPT_IN_USE] };
  return { ...settled('deleted'), change: { fileId: null }, finish };
};
