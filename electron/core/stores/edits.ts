import { sql as raw } from 'kysely';
import { patchCodec, type StoredPatch } from './codecs.ts';
import { deleteCorrections } from './corrections.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { EditRow } from './schema.ts';
import { packWords, type SegmentSpan, unpackWords } from './segments.ts';

const PREFIX = 'outdated-analysis.';

/** Notes that the analyses of a transcript are those of an earlier text. Call it in the transaction of the edit. */
export const markAnalysisOutdated = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.replaceInto('meta').values({ key: PREFIX + transcriptId, value: '1' }));
};

export const isAnalysisOutdated = (db: ReadableDb, transcriptId: string): boolean =>
  db.get(
    sql
      .selectFrom('meta')
      .select('key')
      .where('key', '=', PREFIX + transcriptId),
  ) !== undefined;

export const clearOutdatedAnalysis = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.deleteFrom('meta').where('key', '=', PREFIX + transcriptId));
};

/** Ids of transcripts, of which some may have been deleted since. */
export const outdatedAnalyses = (db: ReadableDb): string[] =>
  db
    .all(sql.selectFrom('meta').select('key').where('key', 'like', `${PREFIX}%`))
    .map(({ key }) => key.slice(PREFIX.length));

/** What leads from one state of a transcript to another. */
export type EditPatch = Omit<StoredPatch, 'spans'> & { readonly spans: readonly SegmentSpan[] };

export type EditKind = EditRow['kind'];

/** An edit without its content. */
export type EditSummary = { readonly number: number; readonly kind: EditKind; readonly createdAt: number };

/** The edit that Undo takes back next, or the one that Redo makes again. */
export type Direction = 'undo' | 'redo';

/** Edits of one transcript that are kept, the latest. */
const MAX_EDITS = 200;

/** A patch as it is stored. */
export const encodePatch = ({ spans, ...rest }: EditPatch): string =>
  patchCodec.encode({
    ...rest,
    spans: spans.map(({ at, count, segments }) => ({
      at,
      count,
      segments: segments.map(({ text, start, end, speaker_id, channel, language, words }) => ({
        text,
        start,
        end,
        speaker_id,
        ...(channel === undefined ? {} : { channel }),
        ...(language === undefined ? {} : { language }),
        words: packWords(words),
      })),
    })),
  });

const decodePatch = (text: string): EditPatch => {
  const { spans, ...rest } = patchCodec.decode(text);
  return {
    ...rest,
    spans: spans.map(({ at, count, segments }) => ({
      at,
      count,
      segments: segments.map(({ words, ...segment }, index) => ({
        ...segment,
        id: at + index,
        words: unpackWords(words),
      })),
    })),
  };
};

const nextOf = (transcriptId: string, direction: Direction, count = 1) =>
  sql
    .selectFrom('edits')
    .where('transcript_id', '=', transcriptId)
    .where('undone', '=', direction === 'redo' ? 1 : 0)
    // Undone edits are later than all others, and made again in their order.
    .orderBy('number', direction === 'redo' ? 'asc' : 'desc')
    .limit(count);

export const findEdit = (
  db: ReadableDb,
  transcriptId: string,
  direction: Direction,
): EditSummary | undefined => {
  const row = db.get(nextOf(transcriptId, direction).select(['number', 'kind', 'created_at']));
  return row && { number: row.number, kind: row.kind, createdAt: row.created_at };
};

/** Whether the next edit of a direction is part of a larger one, which goes on with the edit after it. */
export const isContinued = (db: ReadableDb, transcriptId: string, direction: Direction): boolean => {
  const follows = raw<number | null>`json_extract(patch, '$.follows')`.as('follows');
  const [next, other] = db.all(nextOf(transcriptId, direction, 2).select(follows));
  return other !== undefined && (direction === 'undo' ? next : other)?.follows === 1;
};

/** What undoes the last edit, or makes the last undone one again. */
export const readPatch = (
  db: ReadableDb,
  transcriptId: string,
  direction: Direction,
): EditPatch | undefined => {
  const row = db.get(nextOf(transcriptId, direction).select('patch'));
  return row && decodePatch(row.patch);
};

/** The steps of a direction that are edits of texts, up to the first that is none. Each is decoded as it is asked for. */
export function* readTextPatches(
  db: ReadableDb,
  transcriptId: string,
  direction: Direction,
  count: number,
): Generator<EditPatch, void, undefined> {
  for (const { kind, patch } of db.all(nextOf(transcriptId, direction, count).select(['kind', 'patch']))) {
    if (kind !== 'text') return;
    yield decodePatch(patch);
  }
}

const editsFor = (transcriptId: string) => sql.deleteFrom('edits').where('transcript_id', '=', transcriptId);

/** Forgets the undone edits, since the state that they start from is gone. */
export const deleteUndone = (db: WritableDb, transcriptId: string): void => {
  db.run(editsFor(transcriptId).where('undone', '=', 1));
};

type NewEdit = { readonly number: number; readonly kind: EditKind; readonly createdAt: number };

/** Adds an edit by the encoded patch that undoes it. Those that were undone before can no longer be made again. */
export const addEdit = (db: WritableDb, transcriptId: string, edit: NewEdit, patch: string): void => {
  deleteUndone(db, transcriptId);
  db.run(
    sql.insertInto('edits').values({
      transcript_id: transcriptId,
      number: edit.number,
      kind: edit.kind,
      undone: 0,
      patch,
      created_at: edit.createdAt,
    }),
  );
  const oldest = db.get(
    sql
      .selectFrom('edits')
      .select('number')
      .where('transcript_id', '=', transcriptId)
      .orderBy('number', 'desc')
      .offset(MAX_EDITS)
      .limit(1),
  );
  if (oldest !== undefined) db.run(editsFor(transcriptId).where('number', '<=', oldest.number));
};

/** Marks the next edit of a direction as undone or made again; `patch` leads back. */
export const turnEdit = (
  db: WritableDb,
  transcriptId: string,
  direction: Direction,
  patch: EditPatch,
): void => {
  const edit = findEdit(db, transcriptId, direction);
  if (edit === undefined) return;
  db.run(
    sql
      .updateTable('edits')
      .set({ undone: direction === 'undo' ? 1 : 0, patch: encodePatch(patch) })
      .where('transcript_id', '=', transcriptId)
      .where('number', '=', edit.number),
  );
};

/** Forgets all edits of a transcript, and what was learned from them: what they would bring back is redacted or gone. */
export const deleteEdits = (db: WritableDb, transcriptId: string): void => {
  deleteCorrections(db, transcriptId);
  db.run(editsFor(transcriptId));
};
