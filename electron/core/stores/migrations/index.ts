import type BetterSqlite3 from 'better-sqlite3';
import { first } from './010-first.ts';
import { storage } from './020-storage.ts';
import { search } from './030-search.ts';
import { jobs } from './040-jobs.ts';
import { models } from './050-models.ts';
import { voices } from './060-voices.ts';
import { list } from './070-list.ts';
import { pages } from './080-pages.ts';
import { scrub } from './090-scrub.ts';
import { records } from './100-records.ts';
import { logins } from './110-logins.ts';
import { reservations } from './120-reservations.ts';
import { erasures } from './130-erasures.ts';
import { edits } from './140-edits.ts';
import { channels } from './150-channels.ts';
import { vocabularies } from './160-vocabularies.ts';
import { devices } from './170-devices.ts';
import { segmentRanges } from './180-segment-ranges.ts';
import { corrections } from './190-corrections.ts';
import { modelCopies } from './200-model-copies.ts';
import { realModels } from './210-real-models.ts';
import { languages } from './220-languages.ts';
import { warnings } from './230-warnings.ts';
import { sessions } from './240-sessions.ts';
import { foreignRequests } from './250-foreign-requests.ts';

/** One step of the schema. Append only: a released step is never changed. */
export type Migration = {
  readonly version: number;
  readonly sql: string;
  /** Functions that `sql` calls. */
  readonly functions?: Readonly<Record<string, (value: unknown) => string>>;
};

export const MIGRATIONS: readonly Migration[] = [
  first,
  storage,
  search,
  jobs,
  models,
  voices,
  list,
  pages,
  scrub,
  records,
  logins,
  reservations,
  erasures,
  edits,
  channels,
  vocabularies,
  devices,
  segmentRanges,
  corrections,
  modelCopies,
  realModels,
  languages,
  warnings,
  sessions,
  foreignRequests,
];

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
