import { sql as raw } from 'kysely';
import { query, type ReadableDb, sql, type WritableDb } from './database.ts';

/** Folded text, as `core/search/tokens.ts` makes it. */
export type IndexedText = { readonly owner: string; readonly name: string; readonly body: string };

/** Puts a transcript into the index, or its new text in the place of the old. */
export const indexTranscript = (db: WritableDb, transcriptId: string, text: IndexedText): void =>
  db.transaction(() => {
    db.run(
      sql
        .insertInto('search_rows')
        .values({ transcript_id: transcriptId })
        .onConflict((conflict) => conflict.doNothing()),
    );
    const row = db.get(
      sql.selectFrom('search_rows').select('row').where('transcript_id', '=', transcriptId),
    )?.row;
    db.run(query(raw`DELETE FROM search_index WHERE rowid = ${row}`));
    db.run(
      query(
        raw`INSERT INTO search_index (rowid, owner, name, body) VALUES (${row}, ${text.owner}, ${text.name}, ${text.body})`,
      ),
    );
  });

/** Writes the whole index anew: deleted rows leave their words in it until their part is merged. */
export const compactIndex = (db: WritableDb): void => {
  db.run(query(raw`INSERT INTO search_index (search_index) VALUES ('optimize')`));
};

export type SearchRow = {
  id: string;
  name: string;
  language: string | null;
  created_at: number;
  score: number;
};

/** A word in the name counts as much as five in the text. */
const RANK = 'bm25(search_index, 0.0, 5.0, 1.0)';

/** Transcripts that match, best first (a lower bm25 is better). */
export const searchTranscripts = (
  db: ReadableDb,
  match: string,
  limit: number,
  offset: number,
): SearchRow[] =>
  db.all(
    query(raw<SearchRow>`
      SELECT t.id, t.name, t.language, t.created_at, m.score
      FROM (
        SELECT rowid, ${raw.raw(RANK)} AS score FROM search_index
        WHERE search_index MATCH ${match} ORDER BY score LIMIT ${limit} OFFSET ${offset}
      ) m
      JOIN search_rows r ON r.row = m.rowid
      JOIN transcripts t ON t.id = r.transcript_id
      ORDER BY m.score`),
  );

export const countMatches = (db: ReadableDb, match: string): number =>
  db.get(
    query(
      raw<{ count: number }>`SELECT count(*) AS count FROM search_index WHERE search_index MATCH ${match}`,
    ),
  )?.count ?? 0;
