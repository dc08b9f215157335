import { type ReadableDb, sql, type WritableDb } from './database.ts';
import { PROCESSING } from './jobs.ts';
import type { DeviceTrialRow } from './schema.ts';

/** The trials made under these conditions: the same graphics processor, driver and program. */
export const readDeviceTrials = (db: ReadableDb, conditions: string): DeviceTrialRow[] =>
  db.all(sql.selectFrom('device_trials').selectAll().where('conditions', '=', conditions));

export const writeDeviceTrial = (db: WritableDb, trial: DeviceTrialRow): void => {
  db.run(sql.replaceInto('device_trials').values(trial));
};

/** The download of a model that is not complete: active, paused or failed. */
export type ModelDownload = {
  readonly id: string;
  readonly state: 'downloading' | 'paused' | 'failed';
  /** Bytes. */
  readonly received: number;
  readonly total: number;
  readonly error: string | null;
};

export const listModelDownloads = (db: ReadableDb): ModelDownload[] =>
  db.all(sql.selectFrom('model_downloads').selectAll());

export const writeModelDownload = (db: WritableDb, download: ModelDownload): void => {
  db.run(sql.replaceInto('model_downloads').values(download));
};

export const deleteModelDownload = (db: WritableDb, id: string): void => {
  db.run(sql.deleteFrom('model_downloads').where('id', '=', id));
};

/** The speeds measured last, by model id: times real time. */
export const readModelSpeeds = (db: ReadableDb): Map<string, number> =>
  new Map(db.all(sql.selectFrom('model_speeds').select(['id', 'speed'])).map(({ id, speed }) => [id, speed]));

export const writeModelSpeed = (db: WritableDb, id: string, speed: number, now: number): void => {
  db.run(sql.replaceInto('model_speeds').values({ id, speed, measured_at: now }));
};

export const deleteModelSpeed = (db: WritableDb, id: string): void => {
  db.run(sql.deleteFrom('model_speeds').where('id', '=', id));
};

/** The models of running jobs: the name in the request, and the id once it is resolved. */
export const listModelsInUse = (
  db: ReadableDb,
): { readonly requested: string; readonly modelId: string | null }[] =>
  db.all(
    sql
      .selectFrom('transcripts')
      .select(['model as requested', 'model_id as modelId'])
      .where('status', '=', PROCESSING)
      .where('lease', 'is not', null),
  );
