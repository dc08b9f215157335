import { MAX_EDITED_CHARACTERS } from '../../../contract/edit-bounds.ts';
import type { PatchTranscript } from '../../../contract/transcript-edits.ts';
import { AppError } from '../../base/errors.ts';
import { createYielder } from '../../base/event-loop.ts';
import { type SpeakerOfWord, withWordSpeakers } from '../../pipeline/findings/speaker-words.ts';
import type { ReadableDb } from '../../stores/database.ts';
import type { SegmentSpan } from '../../stores/segment-spans.ts';
import { readSegment, type SegmentText, type StoredSegment } from '../../stores/segments.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import { withParagraphs, withText } from './edit.ts';

export type SegmentEdit = NonNullable<PatchTranscript['segments']>[number];

/** Segments that stand in the place of others, which are kept to undo that. */
export type Replacement = { readonly span: SegmentSpan; readonly replaced: readonly StoredSegment[] };

const staleMessage = (
  now: SegmentText | undefined,
  { id, text, was, speaker_id, was_speaker_id: wasSpeaker }: SegmentEdit,
): string | undefined => {
  const current = now?.text.trim();
  if (was !== undefined && current !== was.trim() && current !== text?.trim()) {
    return `segment ${id} has another text now`;
  }
  const speaker = now?.speaker_id ?? null;
  if (wasSpeaker !== undefined && speaker !== wasSpeaker && speaker !== speaker_id) {
    return `segment ${id} has another speaker now`;
  }
  return undefined;
};

/** Throws `conflict` where a segment no longer has the text or the speaker that the edit replaces. */
const refuseStale = (segments: readonly SegmentText[], edits: readonly SegmentEdit[]): void => {
  const details = edits.flatMap((edit) => {
    const message = staleMessage(segments[edit.id], edit);
    return message === undefined ? [] : [{ path: `segments.${edit.id}`, message }];
  });
  if (details.length === 0) return;
  throw new AppError('conflict', 'The transcript was changed elsewhere in the meantime.', { details });
};

/** All words of an edited segment are written anew, in one transaction with the others. */
const refuseTooMuch = (segments: readonly SegmentText[], edits: readonly SegmentEdit[]): void => {
  const lengths = new Map<number, number>();
  for (const { id, text = '' } of edits) {
    lengths.set(id, Math.max(text.length, segments[id]?.text.length ?? 0, lengths.get(id) ?? 0));
  }
  const characters = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  if (lengths.size < 2 || characters <= MAX_EDITED_CHARACTERS) return;
  throw new AppError(
    'invalid_request',
    `The edited segments have ${characters} characters; one request may edit ${MAX_EDITED_CHARACTERS}. Send them in several requests.`,
    { details: [{ path: 'segments', message: `have more than ${MAX_EDITED_CHARACTERS} characters` }] },
  );
};

export const refuseUnknownSegment = (segments: readonly SegmentText[], ids: Iterable<number>): void => {
  for (const id of ids) {
    if (segments[id] !== undefined) continue;
    throw new AppError('invalid_request', `There is no segment ${id}.`, {
      details: [{ path: 'segments', message: `there is no segment ${id}` }],
    });
  }
};

/** Throws `invalid_request` where the transcript has no speaker of this label. */
export const refuseUnknownSpeaker = (
  { analysis }: Pick<Transcript, 'analysis'>,
  label: string,
  path: string,
): void => {
  if (analysis.speakers?.[label] !== undefined) return;
  throw new AppError('invalid_request', `There is no speaker ${label}.`, {
    details: [{ path, message: 'is not a speaker of this transcription' }],
  });
};

const refuseUnknownWords = ({ id, words }: SegmentEdit, segment: StoredSegment): void => {
  if (words === undefined || words[1] < segment.words.length) return;
  throw new AppError('invalid_request', `Segment ${id} has no word ${words[1]}.`, {
    details: [{ path: `segments.${id}.words`, message: `segment ${id} has ${segment.words.length} words` }],
  });
};

const speakerOfWord = (edits: readonly SegmentEdit[]): SpeakerOfWord | undefined => {
  const given = edits.filter((edit) => edit.speaker_id !== undefined);
  if (given.length === 0) return undefined;
  return (index) =>
    given.findLast(({ words }) => words === undefined || (words[0] <= index && index <= words[1]))
      ?.speaker_id;
};

const withEdits = async (segment: StoredSegment, edits: readonly SegmentEdit[]): Promise<StoredSegment[]> => {
  const text = edits.findLast((edit) => edit.text !== undefined)?.text;
  const starts = edits.findLast((edit) => edit.paragraph_starts !== undefined)?.paragraph_starts;
  const corrected =
    text === undefined || text.trim() === segment.text.trim() ? segment : await withText(segment, text);
  const divided = starts === undefined ? corrected : withParagraphs(corrected, starts);
  const speakerOf = speakerOfWord(edits);
  if (speakerOf === undefined) return [divided];
  for (const edit of edits) refuseUnknownWords(edit, divided);
  return withWordSpeakers(divided, speakerOf);
};

/** The segments that the edits of a request change, in order. Throws `conflict` and `invalid_request`. */
export const editSegments = async (
  db: ReadableDb,
  transcript: Transcript,
  segments: readonly SegmentText[],
  edits: readonly SegmentEdit[],
): Promise<Replacement[]> => {
  refuseUnknownSegment(
    segments,
    edits.map(({ id }) => id),
  );
  for (const { id, speaker_id } of edits) {
    if (speaker_id !== undefined) refuseUnknownSpeaker(transcript, speaker_id, `segments.${id}.speaker_id`);
  }
  refuseStale(segments, edits);
  refuseTooMuch(segments, edits);
  const replacements: Replacement[] = [];
  const yieldIfDue = createYielder();
  const byPlace = Map.groupBy(edits, ({ id }) => id);
  for (const [at, own] of [...byPlace].toSorted(([a], [b]) => a - b)) {
    const before = readSegment(db, transcript.id, segments[at]?.id ?? at);
    if (before === undefined) continue;
    const after = await withEdits(before, own);
    replacements.push({ span: { at, count: 1, segments: after }, replaced: [before] });
    await yieldIfDue();
  }
  return replacements;
};
