import type { Settings } from '../contract/settings.ts';
import { type ForkWorker, forkNodeWorker } from './engines/worker/client.ts';

/** The configuration of one run of the program. */
export type AppConfig = {
  readonly version: string;
  readonly dataDir: string;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The command that opens the window again; default: `earshot open`. */
  readonly openCommand?: string;
  /** Started by a command for itself: it ends with that command. */
  readonly temporary?: boolean | undefined;
  /** If the port is taken: use the next free one, or fail with `conflict`. */
  readonly whenTaken: 'next' | 'fail';
  /** `EARSHOT_API_KEY`: the owner's key for this run. */
  readonly apiKey?: string | undefined;
  /** Settings for this run alone. */
  readonly overrides: Partial<Settings>;
  /** Defaults of this program that differ from those of the contract. */
  readonly defaults?: Partial<Settings>;
  /** The native addon's file. */
  readonly addonPath: string;
  /** The folder with the bundled models and samples. */
  readonly resourcesDir: string;
  /** The built window. */
  readonly rendererDir: string;
  /** The folder with the package's own ffmpeg and ffprobe, if it has them. */
  readonly ffmpegDir?: string;
  readonly environment: NodeJS.ProcessEnv;
};

/** Encrypts with a key that the system keeps for this user alone. */
export type SecretBox = {
  encrypt(text: string): Promise<Buffer>;
  /** Rejects if the key is another one, as on another machine. */
  decrypt(bytes: Buffer): Promise<string>;
};

/** What differs between plain Node and Electron. */
export type Host = {
  readonly forkWorker: ForkWorker;
  /** The entry of the analysis thread in a bundled program; default: its source file. */
  readonly analysisThread?: URL;
  /** The entry of the thread that copies and checks the database in a bundled program; default: its source file. */
  readonly databaseThread?: URL;
  /** The entry of the thread that makes the answers about long transcriptions in a bundled program; default: its source file. */
  readonly renderingThread?: URL;
  /** Absent on plain Node, and if the system keeps no keys. */
  readonly secretBox?: SecretBox | undefined;
};

/** Plain Node: workers are forked from the file `workerEntry`. */
export const nodeHost = (workerEntry: string): Host => ({ forkWorker: forkNodeWorker(workerEntry) });
