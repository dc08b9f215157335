import { stat } from 'node:fs/promises';
import type { NativeAddon, NativeModel, NativeSpeechDetector } from './addon.ts';
import type { Device, VulkanDevice } from './devices/types.ts';

type Entry = { model: Promise<NativeModel>; users: number };

/**
 * The models in this process. One stays loaded between jobs; it is freed when a job asks for another one and nothing
 * runs on it. A file that was replaced counts as another model.
 */
export class LoadedModels {
  readonly #addon: NativeAddon;
  readonly #vulkanLibrary: string;
  readonly #entries = new Map<string, Entry>();
  #vulkan: Promise<VulkanDevice> | undefined;
  #detector: { readonly key: string; readonly loaded: Promise<NativeSpeechDetector> } | undefined;

  constructor(addon: NativeAddon, vulkanLibrary: string) {
    this.#addon = addon;
    this.#vulkanLibrary = vulkanLibrary;
  }

  /** Loads the Vulkan library into this process, once. */
  loadVulkan(): Promise<VulkanDevice> {
    this.#vulkan ??= this.#addon.loadVulkan(this.#vulkanLibrary);
    return this.#vulkan;
  }

  /** Runs `work` with the model, loading it first if necessary. */
  async use<Result>(
    path: string,
    device: Device,
    work: (model: NativeModel) => Promise<Result>,
  ): Promise<Result> {
    const entry = await this.#acquire(path, device);
    try {
      return await work(await entry.model);
    } finally {
      entry.users -= 1;
    }
  }

  /** The speech detector, which stays loaded beside the models: it takes a hundredth of their memory. */
  async detector(path: string): Promise<NativeSpeechDetector> {
    const key = await this.#key(path, 'cpu');
    if (this.#detector?.key !== key) {
      const loaded = this.#addon.loadSpeechDetector(path);
      this.#detector = { key, loaded };
      loaded.catch(() => {
        this.#detector = undefined;
      });
    }
    return this.#detector.loaded;
  }

  /** Frees every model that no job is using. */
  async freeAll(): Promise<void> {
    await this.#freeExcept(undefined);
  }

  async #key(path: string, device: Device): Promise<string> {
    const file = await stat(path).catch(() => undefined);
    return JSON.stringify([path, file?.size, file?.mtimeMs, device]);
  }

  /** The returned entry already counts its new user, so that a concurrent call does not free it. */
  async #acquire(path: string, device: Device): Promise<Entry> {
    const key = await this.#key(path, device);
    // Free the old model before loading the new one: two large models need not fit into memory at once.
    if (!this.#entries.has(key)) await this.#freeExcept(key);
    const entry = this.#entries.get(key) ?? this.#load(key, path, device);
    entry.users += 1;
    return entry;
  }

  #load(key: string, path: string, device: Device): Entry {
    const model = this.#open(path, device);
    const entry: Entry = { model, users: 0 };
    this.#entries.set(key, entry);
    model.catch(() => this.#entries.delete(key));
    return entry;
  }

  async #open(path: string, device: Device): Promise<NativeModel> {
    if (device === 'vulkan') await this.loadVulkan();
    return this.#addon.loadModel(path, { useGpu: device !== 'cpu' });
  }

  async #freeExcept(keptKey: string | undefined): Promise<void> {
    const idle = [...this.#entries].filter(([key, entry]) => key !== keptKey && entry.users === 0);
    for (const [key] of idle) this.#entries.delete(key);
    await Promise.all(idle.map(async ([, entry]) => (await entry.model).free()));
  }
}
