import type { YieldIfDue } from '../base/event-loop.ts';
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

const rowOf = (transcriptId: string, chunk: number, segment: StoredSegment): SegmentRow => ({
  transcript_id: transcriptId,
  id: segment.id,
  chunk,
  text: segment.text,
  start: segment.start,
  end: segment.end,
  speaker_id: segment.speaker_id,
  channel: segment.channel ?? null,
  words: encodeWords(segment.words),
});

const INSERT = `INSERT INTO segments (transcript_id, id, chunk, text, start, "end", speaker_id, channel, words)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPSERT = `${INSERT} ON CONFLICT (transcript_id, id) DO UPDATE SET text = excluded.text, start = excluded.start,
  "end" = excluded."end", speaker_id = excluded.speaker_id, channel = excluded.channel, words = excluded.words`;

type Parameters = readonly (string | number | null)[];

const parametersOf = (row: SegmentRow): Parameters => {
  const { transcript_id, id, chunk, text, start, end, speaker_id, channel, words } = row;
  return [transcript_id, id, chunk, text, start, end, speaker_id, channel, words];
};

export const insertSegments = (
  db: WritableDb,
  transcriptId: string,
  chunk: number,
  segments: readonly StoredSegment[],
): void => {
  db.runEach(
    INSERT,
    segments.map((segment) => parametersOf(rowOf(transcriptId, chunk, segment))),
  );
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

/** Segments that are read before other requests are let in. */
const BATCH = 200;

/** All rows of a transcript in order, a part at a time. */
async function* rowsInSteps(db: ReadableDb, transcriptId: string, yieldIfDue: YieldIfDue) {
  const ofTranscript = sql.selectFrom('segments').selectAll().where('transcript_id', '=', transcriptId);
  let from: number | undefined = 0;
  while (from !== undefined) {
    const rows: SegmentRow[] = db.all(ofTranscript.where('id', '>=', from).orderBy('id').limit(BATCH));
    yield rows;
    const last = rows.at(-1);
    from = last === undefined || rows.length < BATCH ? undefined : last.id + 1;
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
  for await (const rows of rowsInSteps(db, transcriptId, yieldIfDue))
    segments.push(...rows.map(decodeSegment));
  return segments;
};

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

/** What turns the stored segments of a transcript into others. */
export type PreparedSegments = {
  /** New rows, and rows that differ from the stored ones. */
  readonly rows: readonly Parameters[];
  readonly removed: readonly number[];
};

const isSameRow = (a: SegmentRow, b: SegmentRow): boolean =>
  a.words === b.words &&
  a.text === b.text &&
  a.start === b.start &&
  a.end === b.end &&
  a.speaker_id === b.speaker_id &&
  a.channel === b.channel;

/** Prepares to replace all segments of a transcript, which nothing else may write until `writeSegments` has done so. */
export const prepareSegments = async (
  db: ReadableDb,
  transcriptId: string,
  segments: readonly StoredSegment[],
  yieldIfDue: YieldIfDue,
): Promise<PreparedSegments> => {
  const stored = new Map<number, SegmentRow>();
  for await (const rows of rowsInSteps(db, transcriptId, yieldIfDue)) {
    for (const row of rows) stored.set(row.id, row);
  }
  const changed: Parameters[] = [];
  for (const segment of segments) {
    const row = rowOf(transcriptId, 0, segment);
    const before = stored.get(row.id);
    if (before === undefined || !isSameRow(before, row)) changed.push(parametersOf(row));
    stored.delete(row.id);
    await yieldIfDue();
  }
  return { rows: changed, removed: [...stored.keys()] };
};

export const writeSegments = (
  db: WritableDb,
  transcriptId: string,
  { rows, removed }: PreparedSegments,
): void =>
  db.transaction(() => {
    db.runEach(UPSERT, rows);
    db.runEach(
      'DELETE FROM segments WHERE transcript_id = ? AND id = ?',
      removed.map((id) => [transcriptId, id]),
    );
  });
