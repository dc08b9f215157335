import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { ModelDownloadRow } from './schema.ts';

/** Every download of a model that is not whole yet. */
export const listModelDownloads = (db: ReadableDb): ModelDownloadRow[] =>
  db.all(sql.selectFrom('model_downloads').selectAll());

export const writeModelDownload = (db: WritableDb, row: ModelDownloadRow): void => {
  db.run(sql.replaceInto('model_downloads').values(row));
};

export const deleteModelDownload = (db: WritableDb, id: string): void => {
  db.run(sql.deleteFrom('model_downloads').where('id', '=', id));
};

/** Model id → times real time, as last measured. */
export const readModelSpeeds = (db: ReadableDb): Map<string, number> =>
  new Map(db.all(sql.selectFrom('model_speeds').select(['id', 'speed'])).map(({ id, speed }) => [id, speed]));

export const writeModelSpeed = (db: WritableDb, id: string, speed: number, now: number): void => {
  db.run(sql.replaceInto('model_speeds').values({ id, speed, measured_at: now }));
};

export const deleteModelSpeed = (db: WritableDb, id: string): void => {
  db.run(sql.deleteFrom('model_speeds').where('id', '=', id));
};

/** The models that running jobs were asked to use, by the name in the request and by the id that runs. */
export const listModelsAtWork = (db: ReadableDb): { model: string; model_id: string | null }[] =>
  db.all(
    sql
      .selectFrom('transcripts')
      .select(['model', 'model_id'])
      .where('status', '=', 'processing')
      .where('lease', 'is not', null),
  );
