import type { Migration } from './index.ts';

/** The language of each segment; null for those of before, which had the one of the whole recording. */
export const languages: Migration = {
  version: 210,
  sql: `
ALTER TABLE segments ADD COLUMN language TEXT;
`,
};
