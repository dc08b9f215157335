import { stat } from 'node:fs/promises';
import type { NativeAddon, NativeModel } from './addon.ts';
import type { ModelOptions } from './types.ts';

type Entry = { model: Promise<NativeModel>; users: number };

/**
 * The models in this process. One stays loaded between jobs; it is freed when a job asks for another one and nothing
 * runs on it. A file that was replaced counts as another model.
 */
export class LoadedModels {
  readonly #addon: NativeAddon;
  readonly #entries = new Map<string, Entry>();

  constructor(addon: NativeAddon) {
    this.#addon = addon;
  }

  /** Runs `work` with the model, loading it first if necessary. */
  async use<Result>(
    path: string,
    options: ModelOptions,
    work: (model: NativeModel) => Promise<Result>,
  ): Promise<Result> {
    const entry = await this.#acquire(path, options);
    try {
      return await work(await entry.model);
    } finally {
      entry.users -= 1;
    }
  }

  /** Frees every model that no job is using. */
  async freeAll(): Promise<void> {
    await this.#freeExcept(undefined);
  }

  async #key(path: string, options: ModelOptions): Promise<string> {
    const file = await stat(path).catch(() => undefined);
    return JSON.stringify([path, file?.size, file?.mtimeMs, options]);
  }

  /** The returned entry already counts its new user, so that a concurrent call does not free it. */
  async #acquire(path: string, options: ModelOptions): Promise<Entry> {
    const key = await this.#key(path, options);
    // Free the old model before loading the new one: two large models need not fit into memory at once.
    if (!this.#entries.has(key)) await this.#freeExcept(key);
    const entry = this.#entries.get(key) ?? this.#load(key, path, options);
    entry.users += 1;
    return entry;
  }

  #load(key: string, path: string, options: ModelOptions): Entry {
    const model = this.#addon.loadModel(path, options);
    const entry: Entry = { model, users: 0 };
    this.#entries.set(key, entry);
    model.catch(() => this.#entries.delete(key));
    return entry;
  }

  async #freeExcept(keptKey: string | undefined): Promise<void> {
    const idle = [...this.#entries].filter(([key, entry]) => key !== keptKey && entry.users === 0);
    for (const [key] of idle) this.#entries.delete(key);
    await Promise.all(idle.map(async ([, entry]) => (await entry.model).free()));
  }
}
