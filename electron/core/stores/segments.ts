import type { YieldIfDue } from '../base/event-loop.ts';
import { type PackedWord, wordsCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { SegmentRow } from './schema.ts';
import { type IdRange, rangeOf, resetRange } from './segment-ranges.ts';

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
  /** Set by a person, in seconds: a subtitle begins with this word then. */
  subtitleStart?: number;
  /** Set by a person, in seconds: a subtitle ends with this word then. */
  subtitleEnd?: number;
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
  /** The code of the language of its text; absent until known, and where an earlier version recognized it. */
  language?: string;
  words: StoredWord[];
};

const marksOf = ({ speakerGiven, overlap, subtitleStart, subtitleEnd }: StoredWord): PackedWord[7] =>
  speakerGiven === true || overlap === true || subtitleStart !== undefined || subtitleEnd !== undefined
    ? {
        ...(speakerGiven === true ? { given: true } : {}),
        ...(overlap === true ? { overlap } : {}),
        ...(subtitleStart === undefined ? {} : { subtitleStart }),
        ...(subtitleEnd === undefined ? {} : { subtitleEnd }),
      }
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
    ...(marks?.subtitleStart === undefined ? {} : { subtitleStart: marks.subtitleStart }),
    ...(marks?.subtitleEnd === undefined ? {} : { subtitleEnd: marks.subtitleEnd }),
  }));

const encodeWords = (words: readonly StoredWord[]): string => wordsCodec.encode(packWords(words));

/** `first`: id of the row of segment 0. */
const decodeSegment = (row: SegmentRow, first: number): StoredSegment => ({
  id: row.id - first,
  text: row.text,
  start: row.start,
  end: row.end,
  speaker_id: row.speaker_id,
  ...(row.channel === null ? {} : { channel: row.channel }),
  ...(row.language === null ? {} : { language: row.language }),
  words: unpackWords(wordsCodec.decode(row.words)),
});

type RowPlace = Pick<SegmentRow, 'transcript_id' | 'chunk'> & {
  /** Id of the row of segment 0. */
  readonly first: number;
};

const rowOf = ({ first, ...place }: RowPlace, segment: StoredSegment): SegmentRow => ({
  ...place,
  id: first + segment.id,
  text: segment.text,
  start: segment.start,
  end: segment.end,
  speaker_id: segment.speaker_id,
  channel: segment.channel ?? null,
  language: segment.language ?? null,
  words: encodeWords(segment.words),
});

const INSERT = `INSERT INTO segments (transcript_id, id, chunk, text, start, "end", speaker_id, channel, language, words)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

type Parameters = readonly (string | number | null)[];

const parametersOf = (row: SegmentRow): Parameters => {
  const { transcript_id, id, chunk, text, start, end, speaker_id, channel, language, words } = row;
  return [transcript_id, id, chunk, text, start, end, speaker_id, channel, language, words];
};

/** Inserts segments in rows from the one with id `first` on. */
export const insertSegmentsFrom = (
  db: WritableDb,
  place: RowPlace,
  segments: readonly StoredSegment[],
): void => {
  db.runEach(
    INSERT,
    segments.map((segment) => parametersOf(rowOf(place, segment))),
  );
};

export const insertSegments = (
  db: WritableDb,
  transcriptId: string,
  chunk: number,
  segments: readonly StoredSegment[],
): void =>
  insertSegmentsFrom(
    db,
    { transcript_id: transcriptId, chunk, first: rangeOf(db, transcriptId).from },
    segments,
  );

/** The rows of segments with ids from `id` on. */
const rowsFrom = (transcriptId: string, { from, to }: IdRange, id = 0) =>
  sql
    .selectFrom('segments')
    .where('transcript_id', '=', transcriptId)
    .where('id', '>=', from + id)
    .where('id', '<', to);

/** Segments in order, starting with the id `from`; at most `count` of them. */
export const readSegments = (
  db: ReadableDb,
  transcriptId: string,
  from = 0,
  count = Number.MAX_SAFE_INTEGER,
): StoredSegment[] => {
  const range = rangeOf(db, transcriptId);
  return db
    .all(rowsFrom(transcriptId, range, from).selectAll().orderBy('id').limit(count))
    .map((row) => decodeSegment(row, range.from));
};

/** Segments that are read before other requests are let in. */
const BATCH = 200;

/** All rows of a transcript in order, a part at a time, with the id of the first. */
async function* rowsInSteps(db: ReadableDb, transcriptId: string, yieldIfDue: YieldIfDue) {
  let next: number | undefined = 0;
  while (next !== undefined) {
    const range = rangeOf(db, transcriptId);
    const rows: SegmentRow[] = db.all(
      rowsFrom(transcriptId, range, next).selectAll().orderBy('id').limit(BATCH),
    );
    yield { rows, first: range.from };
    const last = rows.at(-1);
    next = last === undefined || rows.length < BATCH ? undefined : last.id - range.from + 1;
    await yieldIfDue();
  }
}

/** All segments in order. Other requests are let in meanwhile, whose edits it may read in part. */
export const readSegmentsInSteps = async (
  db: ReadableDb,
  transcriptId: string,
  yieldIfDue: YieldIfDue,
): Promise<StoredSegment[]> => {
  const segments: StoredSegment[] = [];
  for await (const { rows, first } of rowsInSteps(db, transcriptId, yieldIfDue)) {
    segments.push(...rows.map((row) => decodeSegment(row, first)));
  }
  return segments;
};

const isSameRow = (a: SegmentRow | undefined, b: SegmentRow): boolean =>
  a !== undefined &&
  a.id === b.id &&
  a.words === b.words &&
  a.text === b.text &&
  a.start === b.start &&
  a.end === b.end &&
  a.speaker_id === b.speaker_id &&
  a.channel === b.channel &&
  a.language === b.language;

/** Whether these are all segments of the transcript already. */
export const areSegmentsOf = async (
  db: ReadableDb,
  transcriptId: string,
  segments: readonly StoredSegment[],
  yieldIfDue: YieldIfDue,
): Promise<boolean> => {
  let at = 0;
  for await (const { rows, first } of rowsInSteps(db, transcriptId, yieldIfDue)) {
    const part = segments.slice(at, at + rows.length);
    const place = { transcript_id: transcriptId, chunk: 0, first };
    if (!part.every((segment, index) => isSameRow(rows[index], rowOf(place, segment)))) return false;
    if (part.length < rows.length) return false;
    at += rows.length;
  }
  return at === segments.length;
};

/** The segments with ids from `from` on that begin before `before`, in seconds. */
export const readSegmentsBefore = (
  db: ReadableDb,
  transcriptId: string,
  from: number,
  before: number,
): StoredSegment[] => {
  const range = rangeOf(db, transcriptId);
  return db
    .all(rowsFrom(transcriptId, range, from).selectAll().where('start', '<', before).orderBy('id'))
    .map((row) => decodeSegment(row, range.from));
};

/** A segment without its words, which take ten times as long to read. */
export type SegmentText = Omit<StoredSegment, 'words' | 'channel' | 'language'>;

export const readSegmentTexts = (db: ReadableDb, transcriptId: string): SegmentText[] => {
  const range = rangeOf(db, transcriptId);
  return db
    .all(rowsFrom(transcriptId, range).select(['id', 'text', 'start', 'end', 'speaker_id']).orderBy('id'))
    .map((row) => ({ ...row, id: row.id - range.from }));
};

export const readSegment = (db: ReadableDb, transcriptId: string, id: number): StoredSegment | undefined =>
  readSegments(db, transcriptId, id, 1).find((segment) => segment.id === id);

/** Replaces all of a segment but its place. */
export const updateSegment = (db: WritableDb, transcriptId: string, segment: StoredSegment): void => {
  const { text, start, end, speaker_id, channel = null, language = null } = segment;
  db.run(
    sql
      .updateTable('segments')
      .set({ text, start, end, speaker_id, channel, language, words: encodeWords(segment.words) })
      .where('transcript_id', '=', transcriptId)
      .where('id', '=', rangeOf(db, transcriptId).from + segment.id),
  );
};

export const countSegments = (db: ReadableDb, transcriptId: string): number =>
  db.get(
    rowsFrom(transcriptId, rangeOf(db, transcriptId)).select((eb) => eb.fn.countAll<number>().as('count')),
  )?.count ?? 0;

/** Deletes the segments of a transcript, and others that were to replace them. */
export const deleteSegments = (db: WritableDb, transcriptId: string): void =>
  db.transaction(() => {
    db.run(sql.deleteFrom('segments').where('transcript_id', '=', transcriptId));
    resetRange(db, transcriptId);
  });

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
