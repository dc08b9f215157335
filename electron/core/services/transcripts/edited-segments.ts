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
import { withTimes } from './time-edits.ts';

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

/** The transcribed range of the recording's timeline, in seconds. */
const rangeOf = ({ audioStartFrom, duration }: Transcript): { start: number; end: number } => {
  const start = audioStartFrom ?? 0;
  return { start, end: duration > 0 ? start + duration : Number.POSITIVE_INFINITY };
};

const withTextEdits = async (
  segment: StoredSegment,
  edits: readonly SegmentEdit[],
): Promise<StoredSegment> => {
  const text = edits.findLast((edit) => edit.text !== undefined)?.text;
  const starts = edits.findLast((edit) => edit.paragraph_starts !== undefined)?.paragraph_starts;
  const corrected =
    text === undefined || text.trim() === segment.text.trim() ? segment : await withText(segment, text);
  return starts === undefined ? corrected : withParagraphs(corrected, starts);
};

const withSpeakerEdits = (segment: StoredSegment, edits: readonly SegmentEdit[]): StoredSegment[] => {
  const speakerOf = speakerOfWord(edits);
  if (speakerOf === undefined) return [segment];
  for (const edit of edits) refuseUnknownWords(edit, segment);
  return withWordSpeakers(segment, speakerOf);
};

export const isTimeEdit = ({ times, subtitle_times: subtitles }: SegmentEdit): boolean =>
  times !== undefined || subtitles !== undefined;

/** Reads segments by place, each once. */
const createReader = (db: ReadableDb, id: string, segments: readonly SegmentText[]) => {
  const known = new Map<number, StoredSegment | undefined>();
  return (at: number): StoredSegment | undefined => {
    const place = segments[at];
    if (!known.has(at)) known.set(at, place && readSegment(db, id, place.id));
    return known.get(at);
  };
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
  const stored = createReader(db, transcript.id, segments);
  const edited = new Map<number, StoredSegment>();
  const yieldIfDue = createYielder();
  const byPlace = Map.groupBy(edits, ({ id }) => id);
  for (const [at, own] of byPlace) {
    const before = stored(at);
    if (before !== undefined) edited.set(at, await withTextEdits(before, own));
    await yieldIfDue();
  }
  const retimed = edits.filter(isTimeEdit);
  if (retimed.length > 0) {
    const read = (at: number) => edited.get(at) ?? stored(at);
    const changed = withTimes({ read, range: rangeOf(transcript) }, retimed);
    refuseTooMuch(
      segments,
      [...changed.keys()].filter((at) => !byPlace.has(at)).map((id) => ({ id })),
    );
    for (const [at, segment] of changed) edited.set(at, segment);
  }
  return [...edited]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([at, segment]) => {
      const before = stored(at);
      const after = withSpeakerEdits(segment, byPlace.get(at) ?? []);
      return before === undefined ? [] : [{ span: { at, count: 1, segments: after }, replaced: [before] }];
    });
};
