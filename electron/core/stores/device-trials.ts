import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { DeviceTrialRow } from './schema.ts';

/** The trials made under these conditions: the same graphics processor, driver and program. */
export const readDeviceTrials = (db: ReadableDb, conditions: string): DeviceTrialRow[] =>
  db.all(sql.selectFrom('device_trials').selectAll().where('conditions', '=', conditions));

export const writeDeviceTrial = (db: WritableDb, trial: DeviceTrialRow): void => {
  db.run(sql.replaceInto('device_trials').values(trial));
};
