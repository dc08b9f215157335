import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { findProgram } from '../programs.ts';
import {
  CLAMSCAN_MAX_BYTES,
  type ClamdConfig,
  parseClamdConf,
  pingClamd,
  type ScanVerdict,
  scanWithClamd,
  scanWithClamscan,
} from './clamd.ts';

/** The EICAR test signature, in two halves so that scanners do not report this source file. */
const SIGNATURE = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
  'latin1',
);

/** Searches a stream for the EICAR test signature, also across chunk boundaries. */
export class EicarDetector {
  #tail: Uint8Array = new Uint8Array();
  #isFound = false;

  get isFound(): boolean {
    return this.#isFound;
  }

  update(chunk: Uint8Array): void {
    if (this.#isFound) return;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const overlap = SIGNATURE.length - 1;
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, overlap)]);
    this.#isFound = seam.includes(SIGNATURE) || bytes.includes(SIGNATURE);
    this.#tail = Buffer.from(
      bytes.length >= overlap
        ? bytes.subarray(-overlap)
        : Buffer.concat([this.#tail, bytes]).subarray(-overlap),
    );
  }
}

export type ScanEngine = 'clamav' | 'builtin';

/** Where to look for ClamAV. */
type Locations = {
  /** Candidates for clamd.conf; the first whose clamd listens is used. */
  readonly clamdConfigs: readonly string[];
  /** The `clamscan` program. */
  readonly clamscan: string | undefined;
  /** The signature database for `clamscan`; undefined: its default. */
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

/** `EARSHOT_CLAMD_CONF`, `EARSHOT_CLAMSCAN` and `EARSHOT_CLAMAV_DATABASE` override the defaults; empty means none. */
const findLocations = async (environment: NodeJS.ProcessEnv): Promise<Locations> => {
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

/** Scans files with ClamAV if it is installed, and reports which engine scanned them. */
export class Scanner {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #logger: Logger;
  #locations: Promise<Locations> | undefined;
  /** Monotonic time until which clamscan is not started, after a failure. */
  #cooldownUntil = 0;

  constructor(environment: NodeJS.ProcessEnv, logger: Logger) {
    this.#environment = environment;
    this.#logger = logger;
  }

  /** The engine that would scan a file now. */
  async engine(): Promise<ScanEngine> {
    if ((await this.#clamd()) !== undefined) return 'clamav';
    return (await this.#clamscanWorks()) ? 'clamav' : 'builtin';
  }

  /**
   * Scans the file at `path`. Returns `clamav` if ClamAV scanned all of it, else `builtin`. Throws `infected_file`, and
   * `scanner_unavailable` if ClamAV is `required` and could not scan the file.
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
    const reason =
      verdict === undefined
        ? 'it was not found on this machine'
        : verdict.state === 'too_large'
          ? 'the file is over its size limits'
          : 'it did not answer as it should';
    throw new AppError('scanner_unavailable', `Uploads must be scanned by ClamAV, but ${reason}.`);
  }

  async #verdict(path: string, size: number): Promise<ScanVerdict | undefined> {
    const clamd = await this.#clamd();
    const first = clamd === undefined ? undefined : await scanWithClamd(clamd, path, size);
    if (first?.state === 'clean' || first?.state === 'infected') return first;
    const { clamscan, database } = await this.#findLocations();
    if (clamscan === undefined) return first;
    if (size > CLAMSCAN_MAX_BYTES) return { state: 'too_large' };
    if (performance.now() < this.#cooldownUntil)
      return { state: 'error', reason: 'clamscan failed a moment ago' };
    const verdict = await scanWithClamscan(clamscan, path, database);
    // Without signatures it fails every time: do not start it for each file.
    if (verdict.state === 'error') this.#cooldownUntil = performance.now() + RETRY_MS;
    return verdict;
  }

  #findLocations(): Promise<Locations> {
    this.#locations ??= findLocations(this.#environment);
    return this.#locations;
  }

  async #clamd(): Promise<ClamdConfig | undefined> {
    for (const path of (await this.#findLocations()).clamdConfigs) {
      const config = await readFile(path, 'utf8').then(parseClamdConf, () => undefined);
      if (config !== undefined && (await pingClamd(config))) return config;
    }
    return undefined;
  }

  /** Tries a scan, because clamscan fails without signatures. */
  async #clamscanWorks(): Promise<boolean> {
    const { clamscan, database } = await this.#findLocations();
    if (clamscan === undefined) return false;
    // The program itself is a file that exists.
    return (await scanWithClamscan(clamscan, clamscan, database)).state === 'clean';
  }
}
