import { JsonValue } from '../../contract/common.ts';
import {
  isSettingKey,
  type PatchSettings,
  SETTINGS,
  type SettingKey,
  type Settings,
  type SettingsList,
} from '../../contract/settings.ts';
import { isModelAlias } from '../../contract/transcript.ts';
import { AppError } from '../base/errors.ts';
import type { PipelineSettings } from '../pipeline/deps.ts';
import type { WritableDb } from '../stores/database.ts';
import { clearSetting, readSettings, writeSetting } from '../stores/settings.ts';

type Entry = { value: unknown; source: 'default' | 'stored' | 'run' };

/**
 * The settings of this installation: defaults, over them what is stored, over that what was
 * given for this run alone.
 */
export class SettingsService {
  readonly #db: WritableDb;
  readonly #overrides: ReadonlyMap<string, unknown>;
  readonly #defaults: ReadonlyMap<string, unknown>;
  readonly #atStart: ReadonlyMap<string, string>;
  #entries: ReadonlyMap<SettingKey, Entry>;

  constructor(db: WritableDb, overrides: Partial<Settings>, defaults: Partial<Settings> = {}) {
    this.#db = db;
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

  /** Stores values; null puts a key back to its default. All are checked before any is stored. */
  change(values: Readonly<PatchSettings>): void {
    const checked = Object.entries(values).map(([key, value]) => this.#check(key, value ?? null));
    const details = checked.flatMap((result) => (result.problem === undefined ? [] : [result.problem]));
    if (details.length > 0) {
      throw new AppError('invalid_request', `The setting ${details[0]?.path} ${details[0]?.message}.`, {
        details,
      });
    }
    this.#db.transaction(() => {
      for (const { key, text } of checked) {
        if (text === null) clearSetting(this.#db, key);
        else writeSetting(this.#db, key, text);
      }
    });
    this.#entries = this.#read();
  }

  #check(
    key: string,
    value: JsonValue,
  ): { key: string; text: string | null; problem?: { path: string; message: string } } {
    if (!isSettingKey(key)) return { key, text: null, problem: { path: key, message: 'is not a setting' } };
    if (value === null) return { key, text: null };
    const result = SETTINGS[key].schema.safeParse(value);
    if (result.success) return { key, text: JSON.stringify(result.data) };
    return {
      key,
      text: null,
      problem: { path: key, message: result.error.issues[0]?.message ?? 'is not valid' },
    };
  }

  #read(): ReadonlyMap<SettingKey, Entry> {
    const stored = readSettings(this.#db);
    return new Map(
      Object.keys(SETTINGS)
        .filter(isSettingKey)
        .map((key) => [key, this.#entry(key, stored.get(key))]),
    );
  }

  #defaultOf(key: SettingKey): unknown {
    return this.#defaults.has(key) ? this.#defaults.get(key) : SETTINGS[key].default;
  }

  #entry(key: SettingKey, stored: string | undefined): Entry {
    if (this.#overrides.has(key)) return { value: this.#overrides.get(key), source: 'run' };
    if (stored === undefined) return { value: this.#defaultOf(key), source: 'default' };
    const result = SETTINGS[key].schema.safeParse(JSON.parse(stored));
    return result.success
      ? { value: result.data, source: 'stored' }
      : { value: this.#defaultOf(key), source: 'default' };
  }
}

/** What the pipeline reads of them, each at the moment it needs it. */
export const pipelineSettings = (settings: SettingsService): PipelineSettings => ({
  maxDownloadBytes: () => settings.get('network.maxDownloadBytes'),
  stallSeconds: () => settings.get('network.stallSeconds'),
  beamSize: () => settings.get('engine.beamSize'),
  fitWindow: () => settings.get('engine.fitWindow'),
  pages: () => settings.get('network.pages'),
  creditRate: (model) => settings.get(`credits.perMinute.${isModelAlias(model) ? model : 'mini'}`),
});

/** Where the owner has named a source of models, its origin, which may then be private; else null. */
export const namedModelOrigin = (settings: SettingsService): string | null => {
  const named = settings.get('models.baseUrl');
  return named === SETTINGS['models.baseUrl'].default ? null : new URL(named).origin;
};

/** The language model that a person set up, if any. */
export const languageModelOf = (settings: SettingsService) => ({
  url: settings.get('llm.url'),
  model: settings.get('llm.model'),
  timeoutSeconds: settings.get('llm.timeoutSeconds'),
});
