import type { Settings } from '../contract/settings.ts';
import { type ForkWorker, forkNodeWorker } from './engines/worker/process.ts';

/** How one run of the program is set up. Frozen when it reaches `createApp`. */
export type AppConfig = {
  readonly version: string;
  readonly dataDir: string;
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** `next`: take the next free port when this one is taken; `fail`: say so. */
  readonly whenTaken: 'next' | 'fail';
  /** `EARSHOT_API_KEY`: the owner's key for this run. */
  readonly apiKey?: string | undefined;
  /** Settings for this run alone. */
  readonly overrides: Partial<Settings>;
  /** What a setting is in this program until somebody changes it, where that is not the usual default. */
  readonly defaults?: Partial<Settings>;
  /** All three model names stand for the demonstration model. */
  readonly demo: boolean;
  /** The native addon's file. */
  readonly addonPath: string;
  /** The folder with the bundled models and samples. */
  readonly resourcesDir: string;
  /** The built window. */
  readonly rendererDir: string;
  readonly environment: NodeJS.ProcessEnv;
};

/** What differs between plain Node and Electron. */
export type Host = {
  readonly forkWorker: ForkWorker;
  /** The file of the analysis thread, where the program is bundled; else its source is run. */
  readonly analysisThread?: URL;
};

/** Plain Node: the engine runs in processes forked from the file `workerEntry`. */
export const nodeHost = (workerEntry: string): Host => ({ forkWorker: forkNodeWorker(workerEntry) });

/** The settings that hold for this run alone. */
export const runOverrides = (config: AppConfig): AppConfig['overrides'] =>
  config.demo
    ? {
        'models.aliases.nano': 'starter',
        'models.aliases.mini': 'starter',
        'models.aliases.pro': 'starter',
        ...config.overrides,
      }
    : config.overrides;
