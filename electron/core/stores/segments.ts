import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import type { Compilable } from 'kysely';
import { AppError, hasDiskFullCode } from '../base/errors.ts';
import type { YieldIfDue } from '../base/event-loop.ts';
import { type PackedWord, wordsCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import { isClaimed } from './jobs.ts';
import type { SegmentRow } from './schema.ts';
import { isScrubPending, markForScrub } from './scrub-mark.ts';

/** Reads the segments of a transcript through a connection of its own: for threads. */
export const readSegmentsOf = (databasePath: string, transcriptId: string): StoredSegment[] => {
  const file = new BetterSqlite3(databasePath, { readonly: true, fileMustExist: true });
  const statementOf = <R>(query: Compilable<R>) => {
    const { sql, parameters } = query.compile();
    // Kysely types the rows of the query that it compiled, and SQLite returns rows of exactly that query.
    return file.prepare(sql).bind(...parameters) as BetterSqlite3.Statement<unknown[], R>;
  };
  const db: ReadableDb = {
    all: (query) => statementOf(query).all(),
    get: (query) => statementOf(query).get(),
  };
  try {
    return file.transaction(() => readSegments(db, transcriptId))();
  } finally {
    file.close();
  }
};

/** Ids from one range to the next: more than a transcript can have segments. */
const RANGE = 2 ** 31;
/** Rows that are deleted before other requests are let in. */
const DELETED_AT_ONCE = 1000;

/** Ids of the rows that are a transcript's segments, without `to`. */
type IdRange = { readonly from: number; readonly to: number };

const rangeFrom = (from: number): IdRange => ({ from, to: from + RANGE });

/** Where the segments of a transcript lie. Read it with them in one transaction or one turn of the event loop. */
const rangeOf = (db: ReadableDb, transcriptId: string): IdRange =>
  rangeFrom(
    db.get(sql.selectFrom('segment_ranges').select('first_id').where('transcript_id', '=', transcriptId))
      ?.first_id ?? 0,
  );

/** Where segments are written that are to replace those of a transcript. */
export const nextRange = (db: ReadableDb, transcriptId: string): IdRange =>
  rangeFrom(rangeOf(db, transcriptId).to);

const put = (db: WritableDb, transcriptId: string, first: number, hasOthers: boolean): void => {
  const row = { first_id: first, has_others: hasOthers ? 1 : 0 };
  db.run(
    sql
      .insertInto('segment_ranges')
      .values({ transcript_id: transcriptId, ...row })
      .onConflict((conflict) => conflict.column('transcript_id').doUpdateSet(row)),
  );
};

/** Notes that rows are written that are not segments of the transcript yet. */
const announceOthers = (db: WritableDb, transcriptId: string): void =>
  put(db, transcriptId, rangeOf(db, transcriptId).from, true);

/** Makes the rows of the next range the segments of the transcript; those before are replaced. */
export const switchToNextRange = (db: WritableDb, transcriptId: string): void =>
  put(db, transcriptId, nextRange(db, transcriptId).from, true);

/** Call it once all rows of the transcript are deleted. */
const resetRange = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.deleteFrom('segment_ranges').where('transcript_id', '=', transcriptId));
};

type Others = 'replaced' | 'abandoned';

const idsOf = (db: ReadableDb, transcriptId: string, others: Others) => {
  const { from, to } = rangeOf(db, transcriptId);
  const own = sql.selectFrom('segments').select('id').where('transcript_id', '=', transcriptId);
  return others === 'replaced' ? own.where('id', '<', from) : own.where('id', '>=', to);
};

/** Deletes at most `count` rows and settles whether there are others. Returns whether more of the same are left. */
const deleteSome = (db: WritableDb, transcriptId: string, others: Others, count: number): boolean =>
  db.transaction(() => {
    const ids = idsOf(db, transcriptId, others).orderBy('id').limit(count);
    db.run(sql.deleteFrom('segments').where('transcript_id', '=', transcriptId).where('id', 'in', ids));
    const has = (which: Others) => db.get(idsOf(db, transcriptId, which).limit(1)) !== undefined;
    if (has(others)) return true;
    put(db, transcriptId, rangeOf(db, transcriptId).from, has('replaced') || has('abandoned'));
    // What was erased by replacing it has left the tables only now.
    if (isScrubPending(db)) markForScrub(db, 'log');
    return false;
  }, 'deletion');

/** Deletes rows that are not segments of the transcript, while other requests are let in. */
const deleteOthers = async (db: WritableDb, transcriptId: string, others: Others): Promise<void> => {
  while (deleteSome(db, transcriptId, others, DELETED_AT_ONCE)) await nextTurn();
};

const withOthers = sql.selectFrom('segment_ranges').select('transcript_id').where('has_others', '=', 1);

/** Deletes what a killed program left: replaced segments, and others that were being written. Call it while no job runs. */
export const deleteAllOthers = (db: WritableDb): void => {
  for (const { transcript_id: id } of db.all(withOthers)) {
    for (const others of ['replaced', 'abandoned'] as const) deleteSome(db, id, others, RANGE);
  }
};

/**
 * Deletes a part of what ended jobs left. Returns whether there still are rows that are not segments of their transcript,
 * those of running jobs included.
 */
export const deleteLeftovers = (db: WritableDb): boolean => {
  const left = withOthers.where(
    'transcript_id',
    'in',
    sql.selectFrom('transcripts').select('id').where('status', '!=', 'processing'),
  );
  const id = db.get(left.limit(1))?.transcript_id;
  if (id !== undefined && !deleteSome(db, id, 'replaced', DELETED_AT_ONCE))
    deleteSome(db, id, 'abandoned', DELETED_AT_ONCE);
  return db.get(withOthers.limit(1)) !== undefined;
};

/** How another model reads a word; empty if it recognized none there. */
type WordAlternative = { readonly text: string; readonly model: string; readonly confidence: number };

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
  /** False where a person said that it is not private: it is never redacted again. */
  isPrivate?: boolean;
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
  /** The audio channel in which it is said, from 0; absent if channels were not recognized by themselves. */
  channel?: number;
  /** The code of the language of its text; absent until known, and if an earlier version recognized it. */
  language?: string;
  words: StoredWord[];
};

const marksOf = (word: StoredWord): PackedWord[7] => {
  const { speakerGiven, overlap, isPrivate, subtitleStart, subtitleEnd } = word;
  const marks = {
    ...(speakerGiven === true ? { given: true } : {}),
    ...(overlap === true ? { overlap } : {}),
    ...(isPrivate === false ? { shown: true } : {}),
    ...(subtitleStart === undefined ? {} : { subtitleStart }),
    ...(subtitleEnd === undefined ? {} : { subtitleEnd }),
  };
  return Object.keys(marks).length === 0 ? undefined : marks;
};

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
    ...(marks?.shown === true ? { isPrivate: false } : {}),
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
const areSegmentsOf = (db: ReadableDb, transcriptId: string, segments: readonly StoredSegment[]): boolean => {
  const range = rangeOf(db, transcriptId);
  const rows = db.all(rowsFrom(transcriptId, range).selectAll().orderBy('id'));
  const place = { transcript_id: transcriptId, chunk: 0, first: range.from };
  return (
    rows.length === segments.length &&
    segments.every((segment, index) => isSameRow(rows[index], rowOf(place, segment)))
  );
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

/** Segments that stand in the place of `count` others; places count from 0. */
export type SegmentSpan = {
  readonly at: number;
  readonly count: number;
  readonly segments: readonly StoredSegment[];
};

/** More spans than this that change the number of segments cost less when all segments are written again. */
const MAX_SHIFTS = 8;

/** Adds `by` to the ids from `from` on, by way of negative ones, which never collide. */
const shiftIds = (db: WritableDb, transcriptId: string, from: number, by: number): void => {
  const range = rangeOf(db, transcriptId);
  const ids = sql.updateTable('segments').where('transcript_id', '=', transcriptId);
  db.run(
    ids
      .set((eb) => ({ id: eb(eb.neg('id'), '-', by + 1) }))
      .where('id', '>=', range.from + from)
      .where('id', '<', range.to),
  );
  db.run(ids.set((eb) => ({ id: eb(eb.neg('id'), '-', 1) })).where('id', '<', 0));
};

/** Replaces segments by place. The spans are in order and do not touch; their places are those before all of them. */
export const replaceSpans = (db: WritableDb, transcriptId: string, spans: readonly SegmentSpan[]): void =>
  db.transaction(() => {
    if (spans.filter(({ count, segments }) => count !== segments.length).length > MAX_SHIFTS) {
      const all = withSpans(readSegments(db, transcriptId), spans);
      return replaceSegments(
        db,
        transcriptId,
        all.map((segment, id) => ({ ...segment, id })),
      );
    }
    const ids = readSegmentTexts(db, transcriptId).map(({ id }) => id);
    for (const { at, count, segments } of spans.toReversed()) {
      if (count === segments.length) {
        for (const [index, segment] of segments.entries()) {
          updateSegment(db, transcriptId, { ...segment, id: ids[at + index] ?? at + index });
        }
        continue;
      }
      const first = ids[at] ?? (ids.at(-1) ?? -1) + 1;
      for (const id of ids.slice(at, at + count)) deleteSegment(db, transcriptId, id);
      shiftIds(db, transcriptId, first, segments.length - count);
      insertSegments(
        db,
        transcriptId,
        0,
        segments.map((segment, index) => ({ ...segment, id: first + index })),
      );
    }
  });

const deleteSegment = (db: WritableDb, transcriptId: string, id: number): void => {
  const { from } = rangeOf(db, transcriptId);
  db.run(
    sql
      .deleteFrom('segments')
      .where('transcript_id', '=', transcriptId)
      .where('id', '=', from + id),
  );
};

/** A list with spans of it replaced. */
export const withSpans = <T>(
  list: readonly T[],
  spans: readonly { readonly at: number; readonly count: number; readonly segments: readonly T[] }[],
): T[] => {
  const parts: (readonly T[])[] = [];
  let from = 0;
  for (const { at, count, segments } of spans) {
    parts.push(list.slice(from, at), segments);
    from = at + count;
  }
  return [...parts, list.slice(from)].flatMap((part) => [...part]);
};

/** The spans that take back `spans`, by the segments that these replace. */
export const inverseSpans = (
  spans: readonly SegmentSpan[],
  replaced: readonly (readonly StoredSegment[])[],
): SegmentSpan[] => {
  let moved = 0;
  return spans.map(({ at, count, segments }, index) => {
    const span = { at: at + moved, count: segments.length, segments: replaced[index] ?? [] };
    moved += segments.length - count;
    return span;
  });
};

const isSame = ({ id: _a, ...a }: StoredSegment, { id: _b, ...b }: StoredSegment): boolean =>
  isDeepStrictEqual(a, b);

/** What leads from one list of segments to another: at most one span, from the first that differs to the last. */
export const differingSpan = (
  before: readonly StoredSegment[],
  after: readonly StoredSegment[],
): SegmentSpan[] => {
  const same = (a: StoredSegment | undefined, b: StoredSegment | undefined) =>
    a !== undefined && b !== undefined && isSame(a, b);
  let at = 0;
  while (same(before[at], after[at])) at++;
  if (at === before.length && at === after.length) return [];
  let kept = 0;
  const most = Math.min(before.length, after.length) - at;
  while (kept < most && same(before.at(-1 - kept), after.at(-1 - kept))) kept++;
  const segments = after.slice(at, after.length - kept);
  return [{ at, count: before.length - kept - at, segments }];
};

/** Segments of a job that wait to become those of its transcript. */
export type StagedSegments = {
  readonly transcriptId: string;
  /** False if the transcript has the same already, and nothing was written. */
  readonly isChange: boolean;
};

/** Rows that are written before other requests are let in. */
const STAGED_AT_ONCE = 400;

/**
 * Writes all segments that a job's transcript is to have, beside those it has, in steps between which other requests get
 * their turn: ten hours take as long as a noticeable pause. `switchToStaged` makes them those of the transcript. Nothing
 * else may write its segments until then. Throws `interrupted` if the job is no longer the caller's.
 */
export const stageSegments = async (
  db: WritableDb,
  { id, attempt }: { readonly id: string; readonly attempt: number },
  segments: readonly StoredSegment[],
  yieldIfDue: YieldIfDue,
): Promise<StagedSegments> => {
  if (areSegmentsOf(db, id, segments)) return { transcriptId: id, isChange: false };
  // Of an earlier attempt.
  await deleteOthers(db, id, 'abandoned');
  const place = { transcript_id: id, chunk: 0, first: nextRange(db, id).from };
  for (let from = 0; from === 0 || from < segments.length; from += STAGED_AT_ONCE) {
    db.transaction(() => {
      if (!isClaimed(db, id, attempt)) throw new AppError('interrupted', 'This job was taken over.');
      announceOthers(db, id);
      insertSegmentsFrom(db, place, segments.slice(from, from + STAGED_AT_ONCE));
    });
    await yieldIfDue();
  }
  return { transcriptId: id, isChange: true };
};

/** Makes staged segments those of their transcript. Call it in the transaction that writes what goes with them. */
export const switchToStaged = (db: WritableDb, { transcriptId, isChange }: StagedSegments): void => {
  if (isChange) switchToNextRange(db, transcriptId);
};

/** Deletes what staged segments replaced, after the commit, in steps. A full disk leaves that to the next start. */
export const deleteReplaced = async (
  db: WritableDb,
  { transcriptId, isChange }: StagedSegments,
): Promise<void> => {
  try {
    if (isChange) await deleteOthers(db, transcriptId, 'replaced');
  } catch (error) {
    if (!hasDiskFullCode(error)) throw error;
  }
};
