import type { Migration } from './index.ts';

/**
 * Earlier versions changed the search index after the commit of the text, so a crash could leave it behind the
 * texts. The marks make the next start rebuild it and remove replaced texts from the file (`stores/scrub.ts`).
 */
export const scrub: Migration = {
  version: 90,
  sql: `
INSERT OR REPLACE INTO meta (key, value) VALUES ('search.rebuild', '1'), ('scrub', 'index');
`,
};
