import type { Migration } from './index.ts';

/** The library's list by model, in the order of time, without sorting. */
export const list: Migration = {
  version: 70,
  sql: `
CREATE INDEX transcripts_model ON transcripts (user_id, model, created_at, id);
`,
};
