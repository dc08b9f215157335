import { cleanName } from '../../../contract/names.ts';
import { WARNINGS } from '../../../contract/warnings.ts';
import type { Migration } from './steps.ts';

const PLACE = /\{(\w+)\}/g;
const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches a sentence, with its values as named groups; a value that occurs twice is the same. */
const patternOf = (sentence: string): RegExp => {
  const seen = new Set<string>();
  const parts = sentence.split(PLACE).map((part, index) => {
    if (index % 2 === 0) return escapePattern(part);
    if (seen.has(part)) return `\\k<${part}>`;
    seen.add(part);
    return `(?<${part}>.*)`;
  });
  return new RegExp(`^${parts.join('')}$`, 's');
};

// A sentence that another one could be taken for stands after it.
const PATTERNS = Object.entries(WARNINGS).map(([code, sentence]) => ({ code, pattern: patternOf(sentence) }));

const codedWarning = (sentence: unknown): unknown => {
  for (const { code, pattern } of PATTERNS) {
    const match = pattern.exec(String(sentence));
    if (match !== null) return { code, values: { ...match.groups } };
  }
  return sentence;
};

/** Stores warnings by their codes and values. They were sentences. */
export const warnings: Migration = {
  version: 230,
  functions: {
    coded_warnings: (text) => {
      try {
        const sentences: unknown = JSON.parse(String(text));
        return Array.isArray(sentences) ? JSON.stringify(sentences.map(codedWarning)) : '[]';
      } catch {
        return '[]';
      }
    },
  },
  sql: `
UPDATE transcripts SET warnings = coded_warnings(warnings) WHERE warnings <> '[]';
`,
};

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
