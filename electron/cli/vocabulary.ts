import { existsSync, readFileSync } from 'node:fs';
import { parseVocabulary, Vocabulary, type VocabularyEntry } from '../contract/vocabulary.ts';
import { UsageError } from './environment.ts';

/** Reads `--vocabulary`: a file with a term a line, else terms separated by commas. */
export const readVocabulary = (given: string): VocabularyEntry[] => {
  const isFile = existsSync(given);
  const entries = parseVocabulary(isFile ? readFileSync(given, 'utf8') : given.replaceAll(',', '\n'));
  const checked = Vocabulary.safeParse(entries);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const at = typeof issue?.path[0] === 'number' ? `, term ${issue.path[0] + 1}` : '';
  throw new UsageError(
    `--vocabulary ${isFile ? given : ''}${at}: ${issue?.message ?? 'is not a list of terms'}.`,
  );
};
