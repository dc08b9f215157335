import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, isoTime } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { DataPaths } from '../base/paths.ts';
import { type Backup, BackupFolder } from '../stores/backups.ts';
import type { Database } from '../stores/database.ts';
import { runDatabaseTask, type TaskResult } from '../stores/run-database-task.ts';
import { erasuresOf, isScrubPending } from '../stores/scrub-mark.ts';
import type { SettingsService } from './settings.ts';

const GENERATIONS = 2;
const TICK_MS = 5000;
/** A library that is opened for a moment is not copied. */
const FIRST_AFTER_MS = 60_000;
const DAY_MS = 24 * 3600_000;
/** How long a daily backup waits for the queue to be empty. */
const PATIENCE_MS = 6 * 3600_000;
const RETRY_MS = 10 * 60_000;
/** After an erasure, backups are renewed once this many durations of the last copy passed without another one. */
const QUIET_COPIES = 20;
const MIN_QUIET_MS = 5000;
const MAX_QUIET_MS = 5 * 60_000;
/**
 * How long a start and a stop wait for the renewal of backups that hold what was erased. A stop then removes them; a start
 * goes on with it in the background.
 */
const MAX_WAIT_MS = 3000;
const SPARE_BYTES = 64 * 1024 ** 2;
const SCRUB_POLL_MS = 200;
const MAX_SCRUB_POLLS = 100;

type Deps = {
  readonly db: Database;
  readonly paths: DataPaths;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsService;
  /** Whether no job is running. */
  readonly isIdle: () => boolean;
  /** The thread's entry in a bundled program. */
  readonly thread?: URL | undefined;
};

type Outcome = TaskResult['state'] | 'no room' | 'kept';

const present = ({ madeAt, size }: Backup) => ({ created_at: isoTime(madeAt), size });

/**
 * Copies the database once a day, keeps two generations, and checks the database with it. After something was erased,
 * the copies that still hold it are replaced by a new one, or removed.
 */
export class BackupService {
  readonly #deps: Deps;
  readonly #folder: BackupFolder;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #running: Promise<Outcome> | undefined;
  #notBefore: number;
  /** When the database was last checked; undefined if this run has not done it yet. */
  #checkedAt: number | undefined;
  #copyMs = 0;
  /** The last erasure that was noticed, and the time of it and of the first one since the last backup. */
  #erased: { count: number; first: number; last: number } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#folder = new BackupFolder(deps.paths.backups);
    this.#notBefore = deps.clock.monotonic() + FIRST_AFTER_MS;
    this.#checkedAt = deps.db.wasChecked ? deps.clock.monotonic() : undefined;
  }

  list() {
    return this.#folder.list().map(present);
  }

  /** Makes a backup now. Throws `conflict` if that is not possible, and `disk_full`. */
  async create() {
    const { db, settings } = this.#deps;
    if (!settings.get('storage.backups')) {
      throw new AppError('conflict', 'Backups are switched off: set storage.backups to true first.');
    }
    const outcome = await this.#copyScrubbed();
    const [newest] = this.#past();
    if (outcome === 'kept' && newest !== undefined) return present(newest);
    if (outcome === 'no room') {
      throw new AppError('disk_full', 'There is not enough room on the disk for a backup.');
    }
    if (outcome === 'unscrubbed') {
      throw new AppError('conflict', 'Deleted text is still being removed. Try again in a minute.');
    }
    throw new AppError(
      'conflict',
      db.isDamaged
        ? 'The database is damaged, so no backup was made. Run `earshot doctor` to repair it.'
        : 'The backup could not be made. The log says why; the earlier ones stay.',
    );
  }

  /**
   * Finishes what an earlier run that was killed owed: removes its unfinished copy, and renews backups that hold what it
   * erased, before anything is served if that is quick.
   */
  async open(): Promise<void> {
    const { db, clock, logger } = this.#deps;
    try {
      this.#folder.unfinished();
      if (db.isDamaged || !this.#isOn || this.#stale().length === 0) return;
      const now = clock.monotonic();
      // If it takes longer, it is not put off until nothing is erased for a while.
      this.#erased = { count: erasuresOf(db), first: Number.NEGATIVE_INFINITY, last: now };
      const signal = AbortSignal.timeout(MAX_WAIT_MS);
      await this.#renew(false, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'Outdated backups could not be renewed yet');
    }
  }

  start(): void {
    const { logger, clock } = this.#deps;
    const { signal } = this.#stopping;
    const loop = async () => {
      while (!signal.aborted) {
        try {
          await delay(TICK_MS, undefined, { ref: false, signal });
          await this.#tick();
        } catch (error) {
          if (signal.aborted) return;
          this.#notBefore = clock.monotonic() + RETRY_MS;
          logger.warn({ reason: messageOf(error) }, 'The backups could not be brought up to date');
        }
      }
    };
    this.#loop = loop();
  }

  /** Ends running work. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await this.#running?.catch(() => undefined);
  }

  /** Ends running work. Backups that hold what was erased are renewed if that is quick, and removed otherwise. */
  async close(): Promise<void> {
    const { db, logger } = this.#deps;
    await this.stop();
    if (db.isDamaged) return;
    try {
      if (this.#stale().length > 0 && this.#isOn) {
        await this.#copy(false, AbortSignal.timeout(MAX_WAIT_MS)).catch(() => undefined);
      }
      this.#folder.unfinished();
      for (const backup of this.#stale()) this.#folder.remove(backup);
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'Outdated backups could not be removed');
    }
  }

  get #isOn(): boolean {
    return this.#deps.settings.get('storage.backups');
  }

  /** Backups that may hold what was erased since. */
  #stale(): Backup[] {
    const count = erasuresOf(this.#deps.db);
    return this.#folder.list().filter(({ erasures }) => erasures !== count);
  }

  async #tick(): Promise<void> {
    const { db, clock } = this.#deps;
    // Even outdated backups are all there is once the database is damaged.
    if (db.isDamaged) return;
    if (!this.#isOn) {
      for (const backup of this.#folder.list()) this.#folder.remove(backup);
      if (this.#isCheckDue()) await this.#check(true);
      return;
    }
    if (this.#stale().length > 0) {
      if (this.#isQuiet()) await this.#renew(true, this.#stopping.signal);
    } else if (clock.monotonic() >= this.#notBefore && this.#isDue()) {
      const outcome = await this.#copy(true, this.#stopping.signal);
      if (outcome !== 'kept' && outcome !== 'unscrubbed') this.#notBefore = clock.monotonic() + RETRY_MS;
    } else if (this.#isCheckDue()) await this.#check(true);
  }

  /** A large database that was closed is not checked at the start but afterwards, while no job runs. */
  #isCheckDue(): boolean {
    const { clock, isIdle } = this.#deps;
    const now = clock.monotonic();
    const due = this.#checkedAt === undefined ? this.#notBefore : this.#checkedAt + DAY_MS;
    return now >= due && isIdle();
  }

  /** Backups newest first, without those named after the current time: the clock was ahead when they were made. */
  #past(): Backup[] {
    return this.#folder.list().filter(({ madeAt }) => madeAt <= this.#deps.clock.now());
  }

  #isDue(): boolean {
    const { clock, isIdle } = this.#deps;
    const [newest] = this.#past();
    const age = newest === undefined ? DAY_MS : clock.now() - newest.madeAt;
    return age >= (isIdle() ? DAY_MS : DAY_MS + PATIENCE_MS);
  }

  /** Whether nothing has been erased for a while, so that one copy serves many erasures. */
  #isQuiet(): boolean {
    const { db, clock } = this.#deps;
    const count = erasuresOf(db);
    const now = clock.monotonic();
    const first = this.#erased?.first ?? now;
    if (this.#erased?.count !== count) this.#erased = { count, first, last: now };
    const quiet = Math.min(MAX_QUIET_MS, Math.max(MIN_QUIET_MS, QUIET_COPIES * this.#copyMs));
    return now - (this.#erased?.last ?? now) >= quiet || now - first >= 2 * quiet;
  }

  /** Copies once nothing waits to be scrubbed, and again if text was erased between that moment and the copy. */
  async #copyScrubbed(): Promise<Outcome> {
    for (let polls = 0; ; polls++) {
      if (!isScrubPending(this.#deps.db) || polls >= MAX_SCRUB_POLLS) {
        const outcome = await this.#copy(true, this.#stopping.signal);
        if (outcome !== 'unscrubbed' || polls >= MAX_SCRUB_POLLS) return outcome;
      }
      await delay(SCRUB_POLL_MS);
    }
  }

  /** Replaces the backups that hold what was erased. They go even if no new one can be made. */
  async #renew(isThrottled: boolean, signal: AbortSignal): Promise<void> {
    const outcome = await this.#copy(isThrottled, signal);
    if (outcome === 'unscrubbed' || this.#deps.db.isDamaged) return;
    for (const backup of outcome === 'kept' ? [] : this.#stale()) this.#folder.remove(backup);
    this.#erased = undefined;
  }

  #copy(isThrottled: boolean, signal: AbortSignal): Promise<Outcome> {
    this.#running ??= this.#copyOnce(isThrottled, signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #copyOnce(isThrottled: boolean, signal: AbortSignal): Promise<Outcome> {
    const { db, paths, clock, logger, thread } = this.#deps;
    if (db.isDamaged) return 'damaged';
    const target = this.#folder.unfinished();
    const { bavail, bsize } = await statfs(paths.backups);
    if (bavail * bsize < statSync(paths.database).size + SPARE_BYTES) {
      logger.warn({}, 'There is no room for a backup');
      return 'no room';
    }
    const started = clock.monotonic();
    const task = { source: paths.database, target, isThrottled };
    try {
      const result = await runDatabaseTask(task, { entry: thread, signal });
      if (result.state === 'good') this.#keep(result.erasures);
      else if (result.state === 'damaged') await this.#check(false);
      else if (result.state === 'failed') logger.warn({ ...result }, 'A backup could not be made');
      this.#copyMs = clock.monotonic() - started;
      return result.state === 'good' ? 'kept' : result.state;
    } finally {
      this.#folder.unfinished();
    }
  }

  /** A copy is checked page by page, so a good one also shows that the database is. */
  #keep(erasures: number): void {
    const { clock, logger } = this.#deps;
    const made = this.#folder.keep(clock.now());
    const good = this.#past().filter((backup) => backup.path !== made.path && backup.erasures === erasures);
    const kept = new Set([made, ...good.slice(0, GENERATIONS - 1)].map(({ path }) => path));
    for (const backup of this.#folder.list()) if (!kept.has(backup.path)) this.#folder.remove(backup);
    this.#checkedAt = clock.monotonic();
    logger.info({ bytes: made.size, generations: kept.size }, 'A backup was made');
  }

  async #check(isThrottled: boolean): Promise<void> {
    const { db, paths, clock, logger, thread } = this.#deps;
    const { signal } = this.#stopping;
    const result = await runDatabaseTask({ source: paths.database, isThrottled }, { entry: thread, signal });
    this.#checkedAt = clock.monotonic();
    if (result.state === 'good') return;
    if (result.state === 'damaged') {
      db.markDamaged();
      logger.error({}, 'The database is damaged');
    } else logger.warn({ ...result }, 'The database could not be checked');
  }
}
