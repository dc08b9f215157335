import type BetterSqlite3 from 'better-sqlite3';
import { MIGRATIONS } from './steps.ts';

export const newestVersion = Math.max(...MIGRATIONS.map((migration) => migration.version));

/**
 * Applies the steps that the file lacks, up to version `target`: to a new file all in one transaction, which is one wait for
 * the disk instead of one per step; otherwise each in its own, so that what a full disk refuses is only the rest.
 */
export const migrate = (file: BetterSqlite3.Database, target = newestVersion): void => {
  const versionOf = () => Number(file.pragma('user_version', { simple: true }));
  const applySteps = () => {
    for (const { version, sql, functions = {} } of MIGRATIONS) {
      if (version > target || versionOf() >= version) continue;
      // Within another transaction this is a savepoint.
      file.transaction(() => {
        for (const [name, run] of Object.entries(functions)) file.function(name, run);
        file.exec(sql);
        file.pragma(`user_version = ${version}`);
      })();
    }
  };
  if (versionOf() === 0) file.transaction(applySteps)();
  else applySteps();
};
