import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { findProgram } from '../programs.ts';
import { type ClamdConfig, parseClamdConf, pingClamd, type ScanVerdict, scanWithClamd } from './clamd.ts';
import { CLAMSCAN_MAX, scanWithClamscan } from './clamscan.ts';

export type ScanEngine = 'clamav' | 'builtin';

/** Where ClamAV is looked for. */
type Places = {
  /** Files that configure clamd; the first that names a listening clamd is used. */
  readonly clamdConfigs: readonly string[];
  /** The `clamscan` program. */
  readonly clamscan: string | undefined;
  /** A signature database for `clamscan`; its own when undefined. */
  readonly database: string | undefined;
};

const RETRY_MS = 60_000;

const CLAMD_CONFIGS = [
  '/etc/clamav/clamd.conf',
  '/etc/clamd.d/scan.conf',
  '/etc/clamd.conf',
  '/usr/local/etc/clamav/clamd.conf',
  '/opt/homebrew/etc/clamav/clamd.conf',
  'C:\\Program Files\\ClamAV\\clamd.conf',
];

/**
 * Where ClamAV is on this machine. `EARSHOT_CLAMD_CONF`, `EARSHOT_CLAMSCAN` and
 * `EARSHOT_CLAMAV_DATABASE` name other places; an empty one means none.
 */
const findPlaces = async (environment: NodeJS.ProcessEnv): Promise<Places> => {
  const {
    EARSHOT_CLAMD_CONF: conf,
    EARSHOT_CLAMSCAN: program = 'clamscan',
    EARSHOT_CLAMAV_DATABASE: database,
  } = environment;
  return {
    clamdConfigs: conf === undefined ? CLAMD_CONFIGS : conf === '' ? [] : [conf],
    clamscan: isAbsolute(program)
      ? program
      : program === ''
        ? undefined
        : await findProgram(program, { environment, platform: process.platform }),
    database: database || undefined,
  };
};

/** Scans files through ClamAV where there is one, and says which engine really looked. */
export class Scanner {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #logger: Logger;
  #places: Promise<Places> | undefined;
  #brokenUntil = 0;

  constructor(environment: NodeJS.ProcessEnv, logger: Logger) {
    this.#environment = environment;
    this.#logger = logger;
  }

  /** Which engine would scan a file now. */
  async engine(): Promise<ScanEngine> {
    if ((await this.#clamd()) !== undefined) return 'clamav';
    return (await this.#clamscanWorks()) ? 'clamav' : 'builtin';
  }

  /**
   * Scans the file at `path`. Resolves with the engine that looked at all of it; `builtin` says that
   * ClamAV did not. Throws `infected_file`, and `scanner_unavailable` when ClamAV is `required` and
   * could not give its word.
   */
  async scan(path: string, size: number, required: boolean): Promise<ScanEngine> {
    const verdict = await this.#verdict(path, size);
    if (verdict?.state === 'clean') return 'clamav';
    if (verdict?.state === 'infected') {
      throw new AppError(
        'infected_file',
        `The file was refused: it contains ${verdict.signature.slice(0, 100)}.`,
      );
    }
    if (verdict?.state === 'error')
      this.#logger.warn({ reason: verdict.reason }, 'ClamAV could not scan a file');
    if (!required) return 'builtin';
    const why =
      verdict === undefined
        ? 'it was not found on this machine'
        : verdict.state === 'too_large'
          ? 'the file is over its size limits'
          : 'it did not answer as it should';
    throw new AppError('scanner_unavailable', `Uploads must be scanned by ClamAV, but ${why}.`);
  }

  async #verdict(path: string, size: number): Promise<ScanVerdict | undefined> {
    const clamd = await this.#clamd();
    const first = clamd === undefined ? undefined : await scanWithClamd(clamd, path, size);
    if (first?.state === 'clean' || first?.state === 'infected') return first;
    const { clamscan, database } = await this.#find();
    if (clamscan === undefined) return first;
    if (size > CLAMSCAN_MAX) return { state: 'too_large' };
    if (performance.now() < this.#brokenUntil)
      return { state: 'error', reason: 'clamscan failed a moment ago' };
    const verdict = await scanWithClamscan(clamscan, path, database);
    // Without signatures it fails each time, so it is not started anew for each file.
    if (verdict.state === 'error') this.#brokenUntil = performance.now() + RETRY_MS;
    return verdict;
  }

  #find(): Promise<Places> {
    this.#places ??= findPlaces(this.#environment);
    return this.#places;
  }

  async #clamd(): Promise<ClamdConfig | undefined> {
    for (const path of (await this.#find()).clamdConfigs) {
      const config = await readFile(path, 'utf8').then(parseClamdConf, () => undefined);
      if (config !== undefined && (await pingClamd(config))) return config;
    }
    return undefined;
  }

  /** A program without signatures cannot scan anything. */
  async #clamscanWorks(): Promise<boolean> {
    const { clamscan, database } = await this.#find();
    if (clamscan === undefined) return false;
    // The program is a file of some size that is surely there.
    return (await scanWithClamscan(clamscan, clamscan, database)).state === 'clean';
  }
}
