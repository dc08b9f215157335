import { type PackedWord, wordsCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { SegmentRow } from './schema.ts';

/** How another model reads a word; empty if it heard none there. */
export type WordAlternative = { readonly text: string; readonly model: string; readonly confidence: number };

export type StoredWord = {
  word: string;
  start: number;
  end: number;
  confidence: number;
  speaker_id: string | null;
  /** Set by a person: whether a paragraph begins with this word. Absent: speakers and pauses decide. */
  startsParagraph?: boolean;
  /** Other readings of this word. Neighbors with alternatives are one place, whose readings belong together. */
  alternatives?: readonly WordAlternative[];
  /** Whether a person said who speaks, which a new diarization keeps. */
  speakerGiven?: boolean;
  /** Whether somebody else speaks at the same time. */
  overlap?: boolean;
};

/** A segment as it is stored: seconds on the source's timeline, words in order. */
export type StoredSegment = {
  id: number;
  text: string;
  start: number;
  end: number;
  speaker_id: string | null;
  /** The audio channel in which it is said, from 0; absent where channels were not recognized by themselves. */
  channel?: number;
  words: StoredWord[];
};

const marksOf = ({ speakerGiven, overlap }: StoredWord): PackedWord[7] =>
  speakerGiven === true || overlap === true
    ? { ...(speakerGiven === true ? { given: true } : {}), ...(overlap === true ? { overlap } : {}) }
    : undefined;

export const packWords = (words: readonly StoredWord[]): PackedWord[] =>
  words.map((each) => {
    const { word, start, end, confidence, speaker_id, startsParagraph, alternatives } = each;
    const marks = marksOf(each);
    const others = alternatives?.map((other) => [other.text, other.model, other.confidence] as const);
    if (marks !== undefined) {
      return [word, start, end, confidence, speaker_id, startsParagraph ?? null, others ?? null, marks];
    }
    if (others !== undefined)
      return [word, start, end, confidence, speaker_id, startsParagraph ?? null, others];
    return startsParagraph === undefined
      ? [word, start, end, confidence, speaker_id]
      : [word, start, end, confidence, speaker_id, startsParagraph];
  });

export const unpackWords = (words: readonly PackedWord[]): StoredWord[] =>
  words.map(([word, start, end, confidence, speaker_id, startsParagraph, alternatives, marks]) => ({
    word,
    start,
    end,
    confidence,
    speaker_id,
    ...(typeof startsParagraph === 'boolean' ? { startsParagraph } : {}),
    ...(alternatives == null
      ? {}
      : {
          alternatives: alternatives.map(([text, model, certainty]) => ({
            text,
            model,
            confidence: certainty,
          })),
        }),
    ...(marks?.given === true ? { speakerGiven: true } : {}),
    ...(marks?.overlap === true ? { overlap: true } : {}),
  }));

const encodeWords = (words: readonly StoredWord[]): string => wordsCodec.encode(packWords(words));

const decodeSegment = (row: SegmentRow): StoredSegment => ({
  id: row.id,
  text: row.text,
  start: row.start,
  end: row.end,
  speaker_id: row.speaker_id,
  ...(row.channel === null ? {} : { channel: row.channel }),
  words: unpackWords(wordsCodec.decode(row.words)),
});

export const insertSegments = (
  db: WritableDb,
  transcriptId: string,
  chunk: number,
  segments: readonly StoredSegment[],
): void => {
  for (const segment of segments) {
    db.run(
      sql.insertInto('segments').values({
        transcript_id: transcriptId,
        id: segment.id,
        chunk,
        text: segment.text,
        start: segment.start,
        end: segment.end,
        speaker_id: segment.speaker_id,
        channel: segment.channel ?? null,
        words: encodeWords(segment.words),
      }),
    );
  }
};

/** Segments in order, starting with the id `from`; at most `count` of them. */
export const readSegments = (
  db: ReadableDb,
  transcriptId: string,
  from = 0,
  count = Number.MAX_SAFE_INTEGER,
): StoredSegment[] =>
  db
    .all(
      sql
        .selectFrom('segments')
        .selectAll()
        .where('transcript_id', '=', transcriptId)
        .where('id', '>=', from)
        .orderBy('id')
        .limit(count),
    )
    .map(decodeSegment);

/** The segments with ids from `from` on that begin before `before`, in seconds. */
export const readSegmentsBefore = (
  db: ReadableDb,
  transcriptId: string,
  from: number,
  before: number,
): StoredSegment[] =>
  db
    .all(
      sql
        .selectFrom('segments')
        .selectAll()
        .where('transcript_id', '=', transcriptId)
        .where('id', '>=', from)
        .where('start', '<', before)
        .orderBy('id'),
    )
    .map(decodeSegment);

/** A segment without its words, which take ten times as long to read. */
export type SegmentText = Omit<StoredSegment, 'words' | 'channel'>;

export const readSegmentTexts = (db: ReadableDb, transcriptId: string): SegmentText[] =>
  db.all(
    sql
      .selectFrom('segments')
      .select(['id', 'text', 'start', 'end', 'speaker_id'])
      .where('transcript_id', '=', transcriptId)
      .orderBy('id'),
  );

export const readSegment = (db: ReadableDb, transcriptId: string, id: number): StoredSegment | undefined => {
  const row = db.get(
    sql.selectFrom('segments').selectAll().where('transcript_id', '=', transcriptId).where('id', '=', id),
  );
  return row === undefined ? undefined : decodeSegment(row);
};

/** Replaces all of a segment but its place. */
export const updateSegment = (db: WritableDb, transcriptId: string, segment: StoredSegment): void => {
  const { text, start, end, speaker_id, channel = null } = segment;
  db.run(
    sql
      .updateTable('segments')
      .set({ text, start, end, speaker_id, channel, words: encodeWords(segment.words) })
      .where('transcript_id', '=', transcriptId)
      .where('id', '=', segment.id),
  );
};

export const countSegments = (db: ReadableDb, transcriptId: string): number =>
  db.get(
    sql
      .selectFrom('segments')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('transcript_id', '=', transcriptId),
  )?.count ?? 0;

export const deleteSegments = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.deleteFrom('segments').where('transcript_id', '=', transcriptId));
};

/** Replaces all segments of a transcript. */
export const replaceSegments = (
  db: WritableDb,
  transcriptId: string,
  segments: readonly StoredSegment[],
): void =>
  db.transaction(() => {
    deleteSegments(db, transcriptId);
    insertSegments(db, transcriptId, 0, segments);
  });
