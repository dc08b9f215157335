import type { VocabularyEntry } from '../../contract/vocabulary.ts';
import { vocabularyCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';

export type UserVocabulary = { readonly entries: readonly VocabularyEntry[]; readonly updatedAt: number };

/** Undefined for a user who never set one. */
export const readUserVocabulary = (db: ReadableDb, userId: string): UserVocabulary | undefined => {
  const row = db.get(sql.selectFrom('vocabularies').selectAll().where('user_id', '=', userId));
  return row && { entries: vocabularyCodec.decode(row.entries), updatedAt: row.updated_at };
};

export const writeUserVocabulary = (
  db: WritableDb,
  userId: string,
  { entries, updatedAt }: UserVocabulary,
): void => {
  const row = { user_id: userId, entries: vocabularyCodec.encode([...entries]), updated_at: updatedAt };
  db.run(sql.replaceInto('vocabularies').values(row));
};
