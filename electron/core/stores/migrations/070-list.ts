import type { Migration } from './index.ts';

/** Lists the transcripts of a model by time without sorting. */
export const list: Migration = {
  version: 70,
  sql: `
CREATE INDEX transcripts_model ON transcripts (user_id, model, created_at, id);
`,
};
