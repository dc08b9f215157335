import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { ModelCopyRow } from './schema.ts';

export const readModelCopies = (db: ReadableDb): ModelCopyRow[] =>
  db.all(sql.selectFrom('model_copies').selectAll());

export const writeModelCopy = (db: WritableDb, copy: ModelCopyRow): void => {
  db.run(sql.replaceInto('model_copies').values(copy));
};

export const deleteModelCopy = (db: WritableDb, model: string): void => {
  db.run(sql.deleteFrom('model_copies').where('model', '=', model));
};
