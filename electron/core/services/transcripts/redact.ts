import type { AnalysisOptions } from '../../../contract/transcript.ts';
import type { RedactWords } from '../../../contract/transcript-edits.ts';
import { AppError } from '../../base/errors.ts';
import { isHiddenWord } from '../../pipeline/redaction/chosen-words.ts';
import type { ReanalysisCheckpoint, Transcript } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { readSegment } from '../../stores/segments.ts';

const invalid = (message: string, path: string): AppError =>
  new AppError('invalid_request', message, { details: [{ path, message }] });

/**
 * The chosen words, without their text. Throws `invalid_request` where they are not there, or not what can be hidden or shown,
 * `conflict` where the text is another one, and `file_not_found` where the original is gone.
 */
export const checkChosen = (
  db: ReadableDb,
  { id, fileId, options }: Pick<Transcript, 'id' | 'fileId' | 'options'>,
  asked: RedactWords,
): NonNullable<ReanalysisCheckpoint['chosen']> => {
  if (asked.segments.length === 0 && !options.redact_pii) throw invalid('names no words', 'segments');
  if (!asked.private && fileId === null) {
    throw new AppError(
      'file_not_found',
      'The original recording is not stored any more, so what was hidden cannot be shown again.',
    );
  }
  const segments = asked.segments.map(({ id: segmentId, words, was }, index) => {
    const path = `segments.${index}`;
    const segment = readSegment(db, id, segmentId);
    if (segment === undefined) throw invalid(`There is no segment ${segmentId}.`, path);
    if (was !== undefined && was.trim() !== segment.text.trim())
      throw new AppError('conflict', 'This text was changed meanwhile: get the transcription again.');
    const [first, last] = words ?? [0, segment.words.length - 1];
    if (last >= segment.words.length) throw invalid('There are no such words.', `${path}.words`);
    const isHidden = segment.words.slice(first, last + 1).some(isHiddenWord);
    if (!asked.private && !isHidden) throw invalid('None of these words is hidden.', path);
    return { id: segmentId, ...(words === undefined ? {} : { words }) };
  });
  return { segments, private: asked.private };
};

/** The options of a transcript in which words are redacted by hand: earlier redactions stay, nothing else is redacted. */
export const optionsToRedact = (before: AnalysisOptions): AnalysisOptions => ({
  ...before,
  redact_source: 'keep',
  ...(before.redact_pii
    ? {}
    : { redact_pii: true, redact_pii_audio: true, redact_pii_policies: ['redacted' as const] }),
});
