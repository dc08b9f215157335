import { SETTINGS } from '../../../contract/settings.ts';
import { onAbort } from '../../base/abort.ts';
import { AppError, hasDiskFullCode, isAppError, messageOf, systemCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { download, loadResumeState } from '../../engines/net/download.ts';
import type { HttpClient } from '../../engines/net/types.ts';
import type { WritableDb } from '../../stores/database.ts';
import {
  deleteModelDownload,
  listModelDownloads,
  type ModelDownload,
  writeModelDownload,
} from '../../stores/models.ts';
import type { CatalogueModel } from './catalogue.ts';
import { type ModelFiles, modelFileName } from './files.ts';
import {
  checkAgainstCatalogue,
  checkModelFile,
  isInvalidModel,
  type ModelTrial,
  tooLarge,
} from './verify.ts';

type DownloadState = ModelDownload['state'] | 'installed' | 'removed';

export type DownloadDeps = {
  readonly db: WritableDb;
  readonly logger: Logger;
  readonly http: HttpClient;
  readonly trial: ModelTrial;
  readonly files: ModelFiles;
  /** The URL of the folder that models are downloaded from. */
  readonly baseUrl: () => string;
  readonly stallSeconds: () => number;
  /** Called for every change; for progress at most a few times a second. */
  readonly onChange: (id: string, state: DownloadState, received: number, total: number) => void;
};

type Progress = { readonly received: number; readonly total: number };
type Watcher = (progress: Progress) => void;
type StopReason = 'paused' | 'removed' | 'shutdown';

type ActiveDownload = {
  readonly model: CatalogueModel;
  readonly controller: AbortController;
  readonly watchers: Set<Watcher>;
  stopReason: StopReason | undefined;
  /** Resolves with the reason of a failure, or with undefined when the model is installed. Never rejects. */
  readonly done: Promise<AppError | undefined>;
  progress: Progress;
  /** Publishes the progress that has come by then. */
  nextEvent: NodeJS.Timeout | undefined;
};

const PROGRESS_INTERVAL_MS = 250;

const STOP_MESSAGES: Readonly<Record<StopReason, string>> = {
  paused: 'its download was paused',
  removed: 'its download was cancelled',
  shutdown: 'Earshot is shutting down',
};

/**
 * `https://host/folder?token` and `ggml-base.bin` → `https://host/folder/ggml-base.bin?token`. A model with a URL of its own
 * is downloaded from there, unless the settings name a mirror.
 */
const modelUrl = (baseUrl: string, { id, url }: CatalogueModel): string => {
  if (url !== undefined && baseUrl === SETTINGS['models.baseUrl'].default) return url;
  const address = new URL(baseUrl);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${encodeURIComponent(modelFileName(id))}`;
  return address.href;
};

/** What a machine without a network meets first. */
const NO_NETWORK: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
]);

/** Downloads models: once however many wait, resumed after a restart, verified before they are installed. */
export class ModelDownloads {
  readonly #deps: DownloadDeps;
  readonly #active = new Map<string, ActiveDownload>();
  /** What the database holds: downloads that are not complete. */
  readonly #records: Map<string, ModelDownload>;

  constructor(deps: DownloadDeps) {
    this.#deps = deps;
    this.#records = new Map(listModelDownloads(deps.db).map((record) => [record.id, record]));
  }

  /** Resumes the downloads that were active when the program ended, and removes files that will not be resumed. */
  async open(find: (id: string) => CatalogueModel | undefined): Promise<void> {
    for (const { id } of [...this.#records.values()]) {
      const isResumable = find(id) !== undefined && this.#deps.files.path(id) === undefined;
      if (!isResumable) this.#deleteRecord(id);
    }
    await this.#deps.files.removeOrphans((id) => this.#records.has(id));
    for (const { id, state, received } of [...this.#records.values()]) {
      const model = find(id);
      if (state === 'downloading' && model !== undefined) this.#launch(model, received);
    }
  }

  /** The state of a download; undefined if there is none. */
  get(id: string): ModelDownload | undefined {
    const active = this.#active.get(id);
    if (active === undefined) return this.#records.get(id);
    return { id, state: 'downloading', ...active.progress, error: null };
  }

  /** Starts a download, resumes a paused or failed one, or joins an active one. Throws `disk_full`. */
  async start(model: CatalogueModel): Promise<void> {
    if (this.#active.has(model.id)) return;
    const { files, baseUrl } = this.#deps;
    const resume = await loadResumeState(files.partialPath(model.id), modelUrl(baseUrl(), model));
    const received = files.isDownloadComplete(model.id) ? model.size : (resume?.bytes ?? 0);
    const outstanding = [...this.#active.values()].reduce(
      (sum, { progress }) => sum + progress.total - progress.received,
      0,
    );
    await files.checkDiskSpace(Math.max(0, model.size - received) + outstanding);
    // Another call may have started it during the awaits above.
    if (!this.#active.has(model.id)) this.#launch(model, received);
  }

  /** Waits for an active download. Returns why it failed, or undefined. Throws `cancelled` when the signal aborts. */
  async wait(id: string, signal: AbortSignal, watcher: Watcher): Promise<AppError | undefined> {
    const active = this.#active.get(id);
    if (active === undefined) {
      const { error } = this.#records.get(id) ?? { error: null };
      return error === null ? undefined : new AppError('download_failed', error);
    }
    const cancelled = Promise.withResolvers<never>();
    const cancel = () => cancelled.reject(new AppError('cancelled', 'The job was cancelled.'));
    const unlisten = onAbort(signal, cancel);
    if (signal.aborted) cancel();
    active.watchers.add(watcher);
    watcher(active.progress);
    try {
      return await Promise.race([active.done, cancelled.promise]);
    } finally {
      active.watchers.delete(watcher);
      unlisten();
    }
  }

  /** Stops a download so that it can be resumed. Returns whether it was active. */
  async pause(id: string): Promise<boolean> {
    return this.#stop(id, 'paused');
  }

  /** Ends a download and removes its file. Returns whether there was one. */
  async cancel(id: string): Promise<boolean> {
    const wasActive = await this.#stop(id, 'removed');
    const wasRecorded = this.#records.has(id);
    await this.#deps.files.removePartial(id);
    this.#deleteRecord(id);
    return wasActive || wasRecorded;
  }

  /** Stops all downloads; the next start resumes them. */
  async close(): Promise<void> {
    await Promise.all([...this.#active.keys()].map((id) => this.#stop(id, 'shutdown')));
  }

  async #stop(id: string, reason: StopReason): Promise<boolean> {
    const active = this.#active.get(id);
    if (active === undefined) return false;
    active.stopReason ??= reason;
    active.controller.abort();
    await active.done;
    return true;
  }

  #launch(model: CatalogueModel, received: number): void {
    const { promise, resolve } = Promise.withResolvers<AppError | undefined>();
    const active: ActiveDownload = {
      model,
      controller: new AbortController(),
      watchers: new Set(),
      stopReason: undefined,
      done: promise,
      progress: { received, total: model.size },
      nextEvent: undefined,
    };
    this.#active.set(model.id, active);
    this.#saveRecord({ id: model.id, state: 'downloading', ...active.progress, error: null });
    this.#fetch(active)
      .then(
        () => this.#handleSuccess(active),
        (error: unknown) => this.#handleStop(active, error),
      )
      .then(resolve, (error: unknown) => {
        // The outcome could not be saved either: the next start finds the download active, and resumes it.
        this.#active.delete(model.id);
        this.#deps.logger.error(
          { model: model.id, reason: messageOf(error) },
          'The outcome of a download could not be saved',
        );
        resolve(isAppError(error) ? error : new AppError('internal_error', messageOf(error)));
      });
  }

  async #fetch(active: ActiveDownload): Promise<void> {
    const { model, controller } = active;
    const { files, http, trial, baseUrl, stallSeconds } = this.#deps;
    const path = files.partialPath(model.id);
    const wasComplete = files.isDownloadComplete(model.id);
    try {
      if (!wasComplete) {
        await download(http, {
          url: modelUrl(baseUrl(), model),
          destination: path,
          purpose: 'model',
          limits: { maxBytes: model.sizeBounds.max, stallSeconds: stallSeconds() },
          signal: controller.signal,
          onProgress: ({ bytes, total }) => this.#publishProgress(active, bytes, total ?? model.size),
        }).catch((error: unknown) => {
          throw isAppError(error) && error.code === 'download_too_large' ? tooLarge(model, error) : error;
        });
      }
      await checkAgainstCatalogue(path, model, controller.signal);
      await checkModelFile(trial, model.id, path, controller.signal);
    } catch (error) {
      if (!isInvalidModel(error)) throw error;
      await files.removePartial(model.id);
      // A file that an earlier run completed may be outdated: download it again once.
      if (wasComplete) return this.#fetch(active);
      throw error;
    }
    controller.signal.throwIfAborted();
    await files.commit(model.id, path);
  }

  #publishProgress(active: ActiveDownload, received: number, total: number): void {
    active.progress = { received, total };
    active.nextEvent ??= setTimeout(() => {
      active.nextEvent = undefined;
      const { model, watchers, progress } = active;
      for (const watcher of watchers) watcher(progress);
      this.#deps.onChange(model.id, 'downloading', progress.received, progress.total);
    }, PROGRESS_INTERVAL_MS).unref();
  }

  /** Ends a download's events of progress: another follows that says how it ended. */
  #retire({ model, nextEvent }: ActiveDownload): void {
    clearTimeout(nextEvent);
    this.#active.delete(model.id);
  }

  #handleSuccess(active: ActiveDownload): undefined {
    this.#retire(active);
    const { model } = active;
    this.#deleteRecord(model.id);
    this.#deps.logger.info({ model: model.id }, 'A model was installed');
    this.#deps.onChange(model.id, 'installed', model.size, model.size);
  }

  #handleStop(active: ActiveDownload, error: unknown): AppError {
    this.#retire(active);
    const { stopReason: reason, progress } = active;
    const { id } = active.model;
    if (reason === 'shutdown') {
      this.#saveRecord({ id, state: 'downloading', ...progress, error: null });
    } else if (reason === 'paused') {
      this.#saveRecord({ id, state: 'paused', ...progress, error: null });
      this.#deps.onChange(id, 'paused', progress.received, progress.total);
    } else if (reason === 'removed') {
      this.#deleteRecord(id);
      this.#deps.onChange(id, 'removed', 0, progress.total);
    } else {
      return this.#handleFailure(id, progress, error);
    }
    return new AppError('cancelled', STOP_MESSAGES[reason]);
  }

  #handleFailure(id: string, progress: Progress, error: unknown): AppError {
    const failure = this.#explain(id, error);
    const received = isInvalidModel(error) ? 0 : progress.received;
    this.#saveRecord({ id, state: 'failed', received, total: progress.total, error: failure.message });
    this.#deps.logger.warn({ model: id, code: failure.code }, 'A model was not installed');
    this.#deps.onChange(id, 'failed', received, progress.total);
    return failure;
  }

  #explain(id: string, error: unknown): AppError {
    if (isAppError(error) && NO_NETWORK.has(systemCode(error.cause) ?? ''))
      return new AppError(
        error.code,
        `No internet connection: ${error.message} Import a file with: earshot models import FILE. Or set a mirror in your network: models.baseUrl.`,
        { cause: error },
      );
    if (isAppError(error)) return error;
    if (hasDiskFullCode(error))
      return new AppError('disk_full', 'The disk is full. Free some space, then try again.');
    this.#deps.logger.error(
      { model: id, stack: error instanceof Error ? error.stack : undefined },
      'A download failed unexpectedly',
    );
    return new AppError('internal_error', 'Something went wrong inside Earshot. The log has the details.');
  }

  #saveRecord(record: ModelDownload): void {
    this.#records.set(record.id, record);
    writeModelDownload(this.#deps.db, record);
  }

  #deleteRecord(id: string): void {
    this.#records.delete(id);
    deleteModelDownload(this.#deps.db, id);
  }
}
