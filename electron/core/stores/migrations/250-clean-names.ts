import { cleanName } from '../../../contract/names.ts';
import type { Migration } from './index.ts';

const COLUMNS = [
  ['transcripts', 'name'],
  ['transcripts', 'file_name'],
  ['files', 'original_name'],
  ['keys', 'name'],
  ['users', 'name'],
  ['remembered_voices', 'name'],
] as const;

/**
 * Takes out of stored names what new names are cleaned of as they come in: control characters and those that reverse text. A
 * name that would be another one's, or empty, stays.
 */
export const cleanNames: Migration = {
  version: 250,
  functions: { clean_name: (name) => cleanName(String(name)).trim() },
  sql: COLUMNS.map(
    ([table, column]) => `
UPDATE OR IGNORE ${table} SET ${column} = clean_name(${column})
  WHERE ${column} IS NOT NULL AND clean_name(${column}) NOT IN (${column}, '');`,
  ).join('\n'),
};
