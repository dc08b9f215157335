import type { Migration } from './index.ts';

/**
 * Full-text search over names and texts, with tokens of `core/search/tokens.ts`. The index has a column `owner`, so that a
 * search never leaves the user's own transcripts.
 */
export const search: Migration = {
  version: 30,
  sql: `
CREATE TABLE search_rows (
  row INTEGER PRIMARY KEY,
  transcript_id TEXT NOT NULL UNIQUE
) STRICT;
CREATE VIRTUAL TABLE search_index USING fts5(
  owner, name, body,
  content='', contentless_delete=1, prefix='2 3',
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
CREATE TRIGGER search_delete AFTER DELETE ON transcripts BEGIN
  DELETE FROM search_index WHERE rowid = (SELECT row FROM search_rows WHERE transcript_id = old.id);
  DELETE FROM search_rows WHERE transcript_id = old.id;
END;
`,
};
