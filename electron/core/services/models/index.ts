import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DEFAULT_MODEL, MODEL_ALIASES } from '../../../contract/names.ts';
import { SETTINGS } from '../../../contract/settings.ts';
import type { Model } from '../../../contract/system.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { cleanFileName } from '../../engines/net/file-name.ts';
import { MissingSpeakerModel, type PipelineModel, type SpeakerModels } from '../../pipeline/deps.ts';
import { deleteModelSpeed, listModelsInUse, readModelSpeeds, writeModelSpeed } from '../../stores/models.ts';
import type { SettingsService } from '../settings.ts';
import {
  BUNDLED_RECOGNIZER,
  type CatalogueModel,
  isBundled,
  type ModelLanguages,
  speakerPartOf,
  thresholdsOf,
} from './catalogue.ts';
import { type DownloadDeps, ModelDownloads } from './downloads.ts';
import { ModelDirectory, type ModelDirs, ModelFiles } from './files.ts';
import { importModel } from './import.ts';
import {
  type Benchmark,
  type BenchmarkDeps,
  checkBundled,
  type FactsEngine,
  type ModelTrial,
  measureSpeed,
} from './verify.ts';

type Deps = Omit<DownloadDeps, 'files' | 'baseUrl' | 'stallSeconds' | 'trial'> &
  Pick<ModelTrial, 'trySpeakerModel'> &
  Omit<BenchmarkDeps, 'engine'> & {
    readonly clock: Clock;
    readonly settings: SettingsService;
    readonly dirs: ModelDirs;
    /** The folder of files that are being received. */
    readonly temporary: string;
    readonly engine: FactsEngine & BenchmarkDeps['engine'];
  };

type PrepareOptions = {
  readonly signal: AbortSignal;
  /** From 0 to 1, while the model is downloaded. */
  readonly onDownload: (fraction: number) => void;
};

/** A name of this many UTF-16 units fits the 255 bytes of any file system. */
const MAX_NAME = 80;

/** A model file that is sent. */
type ModelUpload = {
  readonly name: string;
  /** Default: derived from the name. */
  readonly id?: string | undefined;
  /** Bytes, as announced. */
  readonly length: number;
  readonly body: Readable;
};

/** Lists, resolves, installs, imports, benchmarks and removes models. */
export class ModelService {
  readonly #deps: Deps;
  readonly #files: ModelFiles;
  readonly #directory: ModelDirectory;
  readonly #downloads: ModelDownloads;
  readonly #speeds: Map<string, number>;
  readonly #trial: ModelTrial;
  #bundledChecked: Promise<void> | undefined;
  /** Settles with the last requested benchmark: they run one after another. */
  #lastBenchmark: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    const { settings } = deps;
    this.#deps = deps;
    this.#files = new ModelFiles(deps.dirs);
    this.#directory = new ModelDirectory({ settings, files: this.#files });
    this.#trial = { ...deps, bundled: (part) => this.#speakerModel(SETTINGS[`speakers.${part}`].default) };
    this.#downloads = new ModelDownloads({
      ...deps,
      files: this.#files,
      trial: this.#trial,
      baseUrl: () => settings.get('models.baseUrl'),
      stallSeconds: () => settings.get('network.stallSeconds'),
    });
    this.#speeds = readModelSpeeds(deps.db);
  }

  /** Resumes the downloads that were active when the program ended. */
  async open(): Promise<void> {
    await this.#downloads.open((id) => this.#directory.find(id));
  }

  /** Stops downloads; the next start resumes them. */
  async close(): Promise<void> {
    await this.#downloads.close();
  }

  /** The model id of a name in a request: that of an alias, else the name itself. */
  idOf(name: string): string {
    return this.#directory.idOf(name);
  }

  /** The id of the model that answers to a name. */
  answering(name: string): string {
    return this.#directory.answering(name);
  }

  /** The name itself if a job can run with it, else the id of the model that has this name elsewhere. */
  published(name: string): string {
    return this.isAvailable(name) ? name : this.#directory.published(name);
  }

  /** Whether a name is an alias, a catalog entry or an installed file of a speech model. */
  isKnown(name: string): boolean {
    return this.#directory.isKnown(name);
  }

  /** What the model of a name transcribes. */
  languagesOf(name: string): ModelLanguages {
    return this.#directory.languagesOf(name);
  }

  canTranslate(name: string): boolean {
    return this.#directory.canTranslate(name);
  }

  /** The bundled model of every language: it finds out which one is spoken, for models that do not. */
  languageDetector(): { readonly path: string } {
    return { path: this.#bundledPath(BUNDLED_RECOGNIZER) };
  }

  isInstalled(id: string): boolean {
    return this.#directory.isInstalled(id);
  }

  /** The installed model of a name. Throws `model_not_installed` with the command that installs it. */
  resolve(name: string): PipelineModel {
    const wanted = this.idOf(name);
    const id = this.#directory.answering(name);
    const path = this.#directory.isRecognizer(id) ? this.#files.path(id) : undefined;
    if (path === undefined) {
      throw new AppError(
        'model_not_installed',
        `The model ${id}${id === name ? '' : ` (behind ${name})`} is not installed. Install it with: earshot models install ${id}`,
      );
    }
    return {
      id,
      path,
      standsInFor: id === wanted ? null : wanted,
      capabilities: this.#directory.capabilitiesOf(name),
    };
  }

  /**
   * As `resolve`, but downloads a missing model first if the setting `models.autoInstall` allows it, and checks once that the
   * bundled models are whole. Throws `model_not_installed` with the reason as its cause, `model_invalid`, `cancelled`.
   */
  async prepare(name: string, { signal, onDownload }: PrepareOptions): Promise<PipelineModel> {
    this.#bundledChecked ??= checkBundled(this.#files);
    await this.#bundledChecked;
    const model = this.#directory.find(this.idOf(name));
    if (model === undefined || this.isInstalled(model.id) || !this.#deps.settings.get('models.autoInstall')) {
      return this.resolve(name);
    }
    const failure = await this.#fetch(model, signal, onDownload);
    if (failure !== undefined) {
      throw new AppError(
        'model_not_installed',
        `The model ${model.id} is not installed, and fetching it failed: ${failure.message}`,
        { cause: failure },
      );
    }
    return this.resolve(name);
  }

  /** The speaker models of the settings. Throws `model_not_installed`. */
  speakerModels(): SpeakerModels {
    const { settings } = this.#deps;
    const id = settings.get('speakers.embedding');
    const { clustering, within, across } = thresholdsOf(id);
    return {
      id,
      segmentation: this.#speakerModel(settings.get('speakers.segmentation')),
      embedding: this.#speakerModel(id),
      clusteringThreshold: clustering,
      sameSpeakerCosine: within,
      sameVoiceCosine: across,
    };
  }

  /** Whether a job with this model can run: it is installed, or may be downloaded first. */
  isAvailable(name: string): boolean {
    const id = this.idOf(name);
    if (!this.isKnown(name)) return false;
    return (
      this.isInstalled(this.#directory.answering(name)) ||
      (this.#directory.find(id) !== undefined && this.#deps.settings.get('models.autoInstall'))
    );
  }

  /**
   * Starts or resumes the download of a model. `started` is false if it is already installed.
   * Throws `model_not_found`, `disk_full`.
   */
  async install(name: string): Promise<{ started: boolean; model: Model }> {
    const id = this.idOf(name);
    if (this.isInstalled(id)) return { started: false, model: this.get(id) };
    const model = this.#directory.find(id);
    if (model === undefined) throw unknown(id);
    await this.#downloads.start(model);
    return { started: true, model: this.get(id) };
  }

  /** Stops a download so that it can be resumed. Throws `model_not_found`, `conflict` if it is not active. */
  async pause(name: string): Promise<Model> {
    const { id } = this.get(this.idOf(name));
    if (!(await this.#downloads.pause(id))) {
      throw new AppError('conflict', `${id} is not being downloaded, so there is nothing to pause.`);
    }
    return this.get(id);
  }

  /**
   * Removes an installed model, or cancels its download. Returns a sentence about the outcome. Throws `model_not_found`;
   * `conflict` if it is bundled or a running transcription uses it.
   */
  async remove(name: string): Promise<string> {
    const { id, bundled } = this.get(this.idOf(name));
    if (bundled) throw new AppError('conflict', `${id} comes with Earshot and cannot be removed.`);
    const isCancelled = await this.#downloads.cancel(id);
    // A download can complete just before it is cancelled: then remove the installed model.
    if (!this.isInstalled(id)) {
      if (isCancelled) return `The download of ${id} is cancelled.`;
      throw new AppError('model_not_found', `The model ${id} is not installed.`);
    }
    if (this.#isInUse(id)) {
      throw new AppError('conflict', `A transcription is using ${id}. Remove it once that has ended.`);
    }
    await this.#files.remove(id);
    this.#speeds.delete(id);
    deleteModelSpeed(this.#deps.db, id);
    this.#deps.onChange(id, 'removed', 0, 0);
    return `${id} is removed.`;
  }

  /** Imports a local model file. Throws as `importModel` does. */
  async import(path: string, id: string | undefined): Promise<Model> {
    const find = (wanted: string) => this.#directory.find(wanted);
    const imported = await importModel({ files: this.#files, trial: this.#trial, find }, { path, id });
    // A download of the same model is now superfluous.
    await this.#downloads.cancel(imported);
    const model = this.get(imported);
    this.#deps.onChange(imported, 'installed', model.size, model.size);
    return model;
  }

  /** Imports a model file that is sent. Throws as `importModel` does. */
  async importUpload({ name, id, length, body }: ModelUpload): Promise<Model> {
    await this.#files.checkDiskSpace(length);
    const folder = await mkdtemp(join(this.#deps.temporary, 'model-'));
    try {
      const path = join(folder, cleanFileName(name).slice(-MAX_NAME) || 'model');
      await pipeline(body, createWriteStream(path));
      return await this.import(path, id);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Measures a model's speed on this machine and saves it; benchmarks run one after another. Throws
   * `model_not_installed`; `conflict` if a transcription is running, or starts meanwhile.
   */
  async benchmark(name: string): Promise<Benchmark & { readonly id: string }> {
    const { id, path } = this.resolve(name);
    this.#throwIfBusy();
    const benchmark = this.#lastBenchmark.then(async () => {
      this.#throwIfBusy();
      const beamSize = this.#deps.settings.get('engine.beamSize');
      const measured = await measureSpeed(this.#deps, { modelPath: path, beamSize });
      this.#throwIfBusy();
      return measured;
    });
    this.#lastBenchmark = benchmark.then(
      () => {},
      () => {},
    );
    const measured = await benchmark;
    this.saveSpeed(id, measured.speed);
    return { id, ...measured };
  }

  #throwIfBusy(): void {
    if (listModelsInUse(this.#deps.db).length === 0) return;
    throw new AppError('conflict', 'A transcription is running, so a measurement would not be true.');
  }

  /** Saves a model's speed on this machine: times real time. */
  saveSpeed(id: string, speed: number): void {
    this.#speeds.set(id, speed);
    writeModelSpeed(this.#deps.db, id, speed, this.#deps.clock.now());
  }

  speedOf(id: string): number | undefined {
    return this.#speeds.get(id);
  }

  /** One entry of `list`. Throws `model_not_found`. */
  get(id: string): Model {
    const model = this.list().find((known) => known.id === id);
    if (model === undefined) throw unknown(id);
    return model;
  }

  list(): Model[] {
    const catalogue = this.#directory.catalogue();
    const known = new Set(catalogue.map((model) => model.id));
    const files = new Map(this.#files.installed().map(({ id, size }) => [id, size]));
    return [
      ...catalogue.map(({ id, name, kind, size, checksum, languages, description }) =>
        this.#present({
          id,
          name,
          kind,
          size: files.get(id) ?? size,
          sha1: checksum.algorithm === 'sha1' ? checksum.hex : null,
          sha256: checksum.algorithm === 'sha256' ? checksum.hex : null,
          languages: languages === 'multilingual' ? languages : [...languages],
          description,
        }),
      ),
      ...[...files]
        .filter(([id]) => !known.has(id))
        .map(([id, size]) =>
          this.#present({
            id,
            name: id,
            kind: this.#directory.kindOf(id),
            size,
            sha1: null,
            sha256: null,
            languages: this.languagesOf(id) === 'multilingual' ? 'multilingual' : ['en'],
            description: 'A model file of your own.',
          }),
        ),
    ];
  }

  async #fetch(
    model: CatalogueModel,
    signal: AbortSignal,
    onDownload: (fraction: number) => void,
  ): Promise<AppError | undefined> {
    onDownload(0);
    try {
      await this.#downloads.start(model);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    return this.#downloads.wait(model.id, signal, ({ received, total }) =>
      onDownload(total === 0 ? 0 : received / total),
    );
  }

  /** Throws `model_not_installed` if the program is not whole. */
  #bundledPath(id: string): string {
    const path = this.#files.path(id);
    if (path !== undefined) return path;
    throw new AppError(
      'model_not_installed',
      `The model ${id}, which comes with Earshot, is not there. Install Earshot again.`,
    );
  }

  /** The path of an installed speaker model. */
  #speakerModel(id: string): string {
    const path = speakerPartOf(id) === undefined ? undefined : this.#files.path(id);
    if (path !== undefined) return path;
    throw new MissingSpeakerModel(id);
  }

  #isInUse(id: string): boolean {
    const part = speakerPartOf(id);
    if (part !== undefined && this.#deps.settings.get(`speakers.${part}`) === id) {
      return listModelsInUse(this.#deps.db).length > 0;
    }
    return listModelsInUse(this.#deps.db).some(
      ({ requested, modelId }) => modelId === id || this.idOf(requested) === id,
    );
  }

  #present(
    model: Pick<Model, 'id' | 'name' | 'kind' | 'size' | 'sha1' | 'sha256' | 'languages' | 'description'>,
  ): Model {
    const part = speakerPartOf(model.id);
    const download = this.#downloads.get(model.id);
    return {
      ...model,
      part: part ?? null,
      installed: this.isInstalled(model.id),
      in_use: this.isInstalled(model.id) && this.#directory.answering(DEFAULT_MODEL) === model.id,
      bundled: isBundled(model.id),
      aliases: MODEL_ALIASES.filter((alias) => this.idOf(alias) === model.id),
      speed: this.#speeds.get(model.id) ?? null,
      download:
        download === undefined
          ? null
          : {
              state: download.state,
              received: download.received,
              total: download.total,
              error: download.error,
            },
    };
  }
}

const unknown = (id: string): AppError =>
  new AppError(
    'model_not_found',
    `There is no model called ${id.slice(0, 100)}; GET /v1/models has them all.`,
  );
