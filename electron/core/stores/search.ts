import { sql as raw } from 'kysely';
import type { YieldIfDue } from '../base/event-loop.ts';
import { indexText } from '../search/tokens.ts';
import { optionsCodec, type TranscriptChange, type TranscriptRow } from './codecs.ts';
import { query, type ReadableDb, sql, type WritableDb } from './database.ts';

const REBUILD = 'search.rebuild';

/** A token that no word of a text can equal. */
const ownerToken = (userId: string): string => userId.toLowerCase().replaceAll('_', '');

const entryOf = (db: ReadableDb, transcriptId: string): number | undefined =>
  db.get(sql.selectFrom('search_rows').select('row').where('transcript_id', '=', transcriptId))?.row;

type IndexedColumns = Pick<TranscriptRow, 'id' | 'user_id' | 'name' | 'text'>;

/** A text with its words as the index holds them, which take most of the time that an entry takes. */
export type IndexedText = { readonly text: string; readonly words: string };

const PART_CHARACTERS = 4000;
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{Co}]/gu;

/** The entry of a long text, made while other requests are let in. */
export const prepareIndexedText = async (text: string, yieldIfDue: YieldIfDue): Promise<IndexedText> => {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    BETWEEN_WORDS.lastIndex = from + PART_CHARACTERS;
    const to = BETWEEN_WORDS.exec(text)?.index ?? text.length;
    parts.push(indexText(text.slice(from, to)));
    from = to;
    await yieldIfDue();
  }
  return { text, words: parts.filter((part) => part !== '').join(' ') };
};

const insertEntry = (
  db: WritableDb,
  row: number,
  { user_id, name, text }: IndexedColumns,
  prepared: IndexedText | undefined,
): void => {
  const words = prepared?.text === text ? prepared.words : indexText(text);
  db.run(
    query(
      raw`INSERT INTO search_index (rowid, owner, name, body)
          VALUES (${row}, ${ownerToken(user_id)}, ${indexText(name)}, ${words})`,
    ),
  );
};

/** Adds a transcript to the index, or replaces its entry. */
const putEntry = (db: WritableDb, transcript: IndexedColumns, prepared?: IndexedText): void => {
  const known = entryOf(db, transcript.id);
  if (known !== undefined) db.run(query(raw`DELETE FROM search_index WHERE rowid = ${known}`));
  else db.run(sql.insertInto('search_rows').values({ transcript_id: transcript.id }));
  const row = known ?? entryOf(db, transcript.id);
  if (row !== undefined) insertEntry(db, row, transcript, prepared);
};

const removeEntry = (db: WritableDb, row: number): void => {
  db.run(query(raw`DELETE FROM search_index WHERE rowid = ${row}`));
  db.run(sql.deleteFrom('search_rows').where('row', '=', row));
};

/** Whether a change of these fields may change what a search finds. */
export const touchesIndex = (change: TranscriptChange): boolean =>
  change.name !== undefined || change.text !== undefined || change.status !== undefined;

/**
 * Brings the index entry of a transcript in line with its row. Call it in the transaction that changes the row: a
 * crash then leaves neither an old text searchable nor a new one missing. A transcript enters the index when it
 * completes. It keeps its entry while it is analyzed again, but not while its text is still to be redacted. `prepared` is
 * used if it is that of the row's text.
 */
export const syncIndex = (
  db: WritableDb,
  id: string,
  { name, text }: TranscriptChange,
  prepared?: IndexedText,
): void => {
  const columns = ['id', 'user_id', 'name', 'text', 'status', 'options'] as const;
  const row = db.get(sql.selectFrom('transcripts').select(columns).where('id', '=', id));
  if (row === undefined) return;
  const entry = entryOf(db, id);
  const isHidden = row.status === 'processing' && optionsCodec.decode(row.options).redact_pii;
  const isDue = entry === undefined ? row.status === 'completed' : name !== undefined || text !== undefined;
  if (isHidden && entry !== undefined) removeEntry(db, entry);
  else if (isDue) putEntry(db, row, prepared);
};

/** Builds the index anew if a migration asked for it. Returns the number of transcripts in it, or undefined. */
export const rebuildIndexIfMarked = (db: WritableDb): number | undefined => {
  const mark = sql.selectFrom('meta').select('value').where('key', '=', REBUILD);
  if (db.get(mark) === undefined) return undefined;
  return db.transaction(() => {
    const ids = db.all(
      sql
        .selectFrom('transcripts')
        .select('id')
        .where((eb) =>
          eb.or([
            eb('status', '=', 'completed'),
            eb('id', 'in', sql.selectFrom('search_rows').select('transcript_id')),
          ]),
        ),
    );
    db.run(query(raw`INSERT INTO search_index (search_index) VALUES ('delete-all')`));
    db.run(sql.deleteFrom('search_rows'));
    for (const { id } of ids) {
      const columns = ['id', 'user_id', 'name', 'text'] as const;
      const row = db.get(sql.selectFrom('transcripts').select(columns).where('id', '=', id));
      if (row !== undefined) putEntry(db, row);
    }
    db.run(sql.deleteFrom('meta').where('key', '=', REBUILD));
    return ids.length;
  });
};

/** Pages that one step of a merge writes at most: about a millisecond's work. */
const MERGE_PAGES = 64;

const totalChanges = (db: ReadableDb): number =>
  db.get(query(raw<{ changes: number }>`SELECT total_changes() AS changes`))?.changes ?? 0;

/** One step of a merge of a full-text table; returns false once all of it is one segment. */
const mergeStep = (db: WritableDb, table: 'search_index' | 'files_text'): boolean => {
  const name = raw.table(table);
  const before = totalChanges(db);
  // A negative number merges all segments, as 'optimize' does, rather than those of one level.
  db.run(query(raw`INSERT INTO ${name} (${raw.ref(table)}, rank) VALUES ('merge', ${-MERGE_PAGES})`));
  // A command without effect counts as one change (https://sqlite.org/fts5.html#the_merge_command).
  return totalChanges(db) - before >= 2;
};

/**
 * Merges a part of the indexes of texts and of files' names; returns false once each is one segment. FTS5 keeps the words
 * of deleted rows until their segment is merged. Its option `secure-delete` has no effect on a table with
 * `contentless_delete`.
 */
export const compactIndexStep = (db: WritableDb): boolean =>
  mergeStep(db, 'search_index') || mergeStep(db, 'files_text');

export type FoundTranscript = {
  readonly id: string;
  readonly name: string;
  readonly language: string | null;
  readonly createdAt: number;
  /** bm25 of FTS5: lower is better. */
  readonly score: number;
};

type FoundRow = { id: string; name: string; language: string | null; created_at: number; score: number };

/** A word in the name weighs as much as five in the text. */
const RANK = 'bm25(search_index, 0.0, 5.0, 1.0)';

/** Expressions over the transcripts of one user. */
type Scope = {
  /** Restricts an expression to them. */
  readonly within: (expression: string) => string;
  /** Matches in the name or text. */
  readonly anywhere: (expression: string) => string;
};

const inName = (expression: string): string => `({name} : ${expression})`;

/** Whether all transcripts are the user's; found by two steps in an index. */
const ownsAll = (db: ReadableDb, userId: string): boolean =>
  db.get(
    query(raw<{ others: number }>`
    SELECT EXISTS (SELECT 1 FROM transcripts WHERE user_id < ${userId})
        OR EXISTS (SELECT 1 FROM transcripts WHERE user_id > ${userId}) AS others`),
  )?.others === 0;

/** Both filters are left out if they change nothing: for a word of every transcript they cost a quarter of the time. */
const scopeOf = (db: ReadableDb, userId: string): Scope => {
  const token = ownerToken(userId);
  // Of all tokens in the column `owner`, the user's transcripts have this one.
  const mayMatchOwner = (expression: string) => expression.includes('*') || expression.includes(token);
  const isAlone = ownsAll(db, userId);
  return {
    within: (expression) => (isAlone ? expression : `owner : "${token}" AND ${expression}`),
    anywhere: (expression) =>
      mayMatchOwner(expression) ? `({name body} : ${expression})` : `(${expression})`,
  };
};

export type Slice = { readonly limit: number; readonly offset: number };

/** FTS5 expressions of a query. */
export type SearchExpressions = {
  readonly whole: string;
  /** Matches more than `whole`: the last word may be the beginning of a longer one. */
  readonly typing: string | undefined;
};

/** A part of the results, which come one tier after the other. */
type Tier = { readonly match: string; readonly score: string; readonly order: string };

/** Of more matches a rank says little, and bm25 reads the positions of every one: 0.1 s for 100,000. */
const MAX_RANKED = 20_000;

const isRanked = (db: ReadableDb, match: string): boolean =>
  db.get(
    query(raw<{ rowid: number }>`
    SELECT rowid FROM search_index WHERE search_index MATCH ${match}
    ORDER BY rowid DESC LIMIT 1 OFFSET ${MAX_RANKED}`),
  ) === undefined;

/** Matches in the name, then those in the text alone, but for those of `except`: by time, as the index streams them. */
const namesThenTexts = ({ within, anywhere }: Scope, wanted: string, except?: string): Tier[] => {
  const without = (...others: readonly (string | undefined)[]) => {
    const known = others.filter((each) => each !== undefined);
    return known.length === 0 ? '' : ` NOT (${known.join(' OR ')})`;
  };
  const latest = { score: '0.0', order: 'rowid DESC' };
  return [
    { ...latest, match: within(`(${inName(wanted)}${without(except)})`) },
    { ...latest, match: within(`(${anywhere(wanted)}${without(inName(wanted), except)})`) },
  ];
};

/** Transcripts with the whole words, best first; then those with a longer last word. */
const tiersOf = (db: ReadableDb, scope: Scope, { whole, typing }: SearchExpressions): Tier[] => {
  const anywhere = scope.anywhere(whole);
  const match = scope.within(anywhere);
  return [
    ...(isRanked(db, match) ? [{ match, score: RANK, order: 'score' }] : namesThenTexts(scope, whole)),
    ...(typing === undefined ? [] : namesThenTexts(scope, typing, anywhere)),
  ];
};

const readTier = (db: ReadableDb, { match, score, order }: Tier, { limit, offset }: Slice) =>
  db
    .all(
      query(raw<FoundRow>`
      SELECT t.id, t.name, t.language, t.created_at, m.score
      FROM (
        SELECT rowid, ${raw.raw(score)} AS score FROM search_index
        WHERE search_index MATCH ${match} ORDER BY ${raw.raw(order)} LIMIT ${limit} OFFSET ${offset}
      ) m
      JOIN search_rows r ON r.row = m.rowid
      JOIN transcripts t ON t.id = r.transcript_id
      ORDER BY m.score, m.rowid DESC`),
    )
    .map(({ created_at: createdAt, ...found }) => ({ ...found, createdAt }));

const countRows = (db: ReadableDb, match: string): number =>
  db.get(
    query(
      raw<{ count: number }>`SELECT count(*) AS count FROM search_index WHERE search_index MATCH ${match}`,
    ),
  )?.count ?? 0;

export const countMatches = (db: ReadableDb, userId: string, expression: string): number => {
  const { within, anywhere } = scopeOf(db, userId);
  return countRows(db, within(anywhere(expression)));
};

const MAX_WORDS_READ = 50_000;

/**
 * Words of the index that begin with a letter and have a length from `least` to `most`, most frequent first. They are the
 * words of all users: show one only if it matches something of the user's.
 */
export const wordsOfIndex = (db: ReadableDb, letter: string, least: number, most: number): string[] =>
  db
    .all(
      query(raw<{ term: string }>`
      SELECT term FROM (
        SELECT term, doc FROM temp.search_words
        WHERE term >= ${letter} AND term < ${`${letter}\u{10ffff}`} LIMIT ${MAX_WORDS_READ}
      ) WHERE length(term) BETWEEN ${least} AND ${most} ORDER BY doc DESC`),
    )
    .map(({ term }) => term);

/** A page of the user's transcripts that match. */
export const searchTranscripts = (
  db: ReadableDb,
  userId: string,
  expressions: SearchExpressions,
  { limit, offset }: Slice,
): FoundTranscript[] => {
  const found: FoundTranscript[] = [];
  let skip = offset;
  for (const tier of tiersOf(db, scopeOf(db, userId), expressions)) {
    const rows = readTier(db, tier, { limit: limit - found.length, offset: skip });
    found.push(...rows);
    if (found.length === limit) break;
    // Count a tier only if the page begins behind it.
    skip = rows.length > 0 || skip === 0 ? 0 : Math.max(0, skip - countRows(db, tier.match));
  }
  return found;
};
