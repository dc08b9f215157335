import { availableParallelism } from 'node:os';
import { JsonValue } from '../../contract/common.ts';
import { isModelAlias } from '../../contract/names.ts';
import {
  isSettingKey,
  type PatchSettings,
  SETTINGS,
  type SettingKey,
  type Settings,
  type SettingsList,
} from '../../contract/settings.ts';
import { AppError } from '../base/errors.ts';
import type { PipelineSettings } from '../pipeline/deps.ts';
import type { WritableDb } from '../stores/database.ts';
import { clearSetting, readSettings, writeSetting } from '../stores/settings.ts';
import { checkMirrors } from './files/verify.ts';

type Entry = { readonly value: unknown; readonly source: 'default' | 'stored' | 'run' };
type Problem = { readonly path: string; readonly message: string };

/** Mirrors are checked against this machine when they are set. Stored ones stay: a disk may be away. */
const mirrorProblems = (value: unknown, dataDir: string | undefined): Problem[] => {
  const { data } = SETTINGS['storage.mirrors'].schema.safeParse(value);
  if (data === undefined || dataDir === undefined) return [];
  return checkMirrors(data, dataDir).refused.map(({ number, reason }) => ({
    path: 'storage.mirrors',
    message: `cannot use folder ${number}: ${reason}`,
  }));
};

/**
 * The threads of one chunk spin while they wait for each other: with twice as many as cores, four seconds of speech took
 * 40 s instead of 1 s.
 */
const threadProblems = (value: unknown): Problem[] => {
  const cores = availableParallelism();
  return typeof value === 'number' && value > cores
    ? [{ path: 'engine.threads', message: `cannot exceed the number of this machine’s cores, ${cores}` }]
    : [];
};

/** The settings of this installation. Overrides of this run win over stored values, and these over defaults. */
export class SettingsService {
  readonly #db: WritableDb;
  readonly #overrides: ReadonlyMap<string, unknown>;
  readonly #defaults: ReadonlyMap<string, unknown>;
  readonly #dataDir: string | undefined;
  /** Values at the start as JSON, to find those that need a restart. */
  readonly #atStart: ReadonlyMap<string, string>;
  readonly #listeners: (() => void)[] = [];
  #entries: ReadonlyMap<SettingKey, Entry>;

  /** `dataDir`: the folder that mirrors must lie outside of; without it they are not checked. */
  constructor(
    db: WritableDb,
    overrides: Partial<Settings>,
    defaults: Partial<Settings> = {},
    dataDir?: string,
  ) {
    this.#db = db;
    this.#dataDir = dataDir;
    this.#overrides = new Map(Object.entries(overrides));
    this.#defaults = new Map(Object.entries(defaults));
    this.#entries = this.#read();
    this.#atStart = new Map([...this.#entries].map(([key, entry]) => [key, JSON.stringify(entry.value)]));
  }

  get<K extends SettingKey>(key: K): Settings[K] {
    // Every entry went through the schema of its key.
    return this.#entries.get(key)?.value as Settings[K];
  }

  list(): SettingsList {
    const data = [...this.#entries].map(([key, { value, source }]) => ({
      key,
      value: JsonValue.parse(value),
      default: JsonValue.parse(this.#defaultOf(key)),
      source,
      restart: SETTINGS[key].restart,
      help: SETTINGS[key].help,
    }));
    const waiting = data.filter((s) => s.restart && this.#atStart.get(s.key) !== JSON.stringify(s.value));
    return { success: true, data, needs_restart: waiting.map((s) => s.key) };
  }

  /**
   * Stores values, which the schema has validated, or resets those that are null. Throws `invalid_request` before storing any
   * if one does not fit this machine.
   */
  change(values: Readonly<PatchSettings>): void {
    const problems = [
      ...mirrorProblems(values['storage.mirrors'], this.#dataDir),
      ...threadProblems(values['engine.threads']),
    ];
    const [first] = problems;
    if (first !== undefined) {
      throw new AppError('invalid_request', `The setting ${first.path} ${first.message}.`, {
        details: problems,
      });
    }
    this.#db.transaction(() => {
      for (const [key, value] of Object.entries(values)) {
        if (value === null || value === undefined) clearSetting(this.#db, key);
        else writeSetting(this.#db, key, value);
      }
    });
    this.#entries = this.#read();
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change. */
  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #read(): ReadonlyMap<SettingKey, Entry> {
    const stored = readSettings(this.#db);
    const entryOf = (key: SettingKey): Entry => {
      if (this.#overrides.has(key)) return { value: this.#overrides.get(key), source: 'run' };
      return stored.has(key)
        ? { value: stored.get(key), source: 'stored' }
        : { value: this.#defaultOf(key), source: 'default' };
    };
    return new Map(
      Object.keys(SETTINGS)
        .filter(isSettingKey)
        .map((key) => [key, entryOf(key)]),
    );
  }

  #defaultOf(key: SettingKey): unknown {
    return this.#defaults.has(key) ? this.#defaults.get(key) : SETTINGS[key].default;
  }
}

/** The settings of the pipeline, each read at the moment it is needed. */
export const pipelineSettings = (settings: SettingsService): PipelineSettings => ({
  maxDownloadBytes: () => settings.get('network.maxDownloadBytes'),
  stallSeconds: () => settings.get('network.stallSeconds'),
  beamSize: () => settings.get('engine.beamSize'),
  pages: () => settings.get('network.pages'),
  creditRate: (model) => settings.get(`credits.perMinute.${isModelAlias(model) ? model : 'mini'}`),
});

/** The origin of the model source that the owner set, which may be a private address; null for the default. */
export const namedModelOrigin = (settings: SettingsService): string | null => {
  const named = settings.get('models.baseUrl');
  return named === SETTINGS['models.baseUrl'].default ? null : new URL(named).origin;
};

/** The language model; its URL and name are empty if none is set up. */
export const languageModelOf = (settings: SettingsService) => ({
  url: settings.get('llm.url'),
  model: settings.get('llm.model'),
});
