import { SETTINGS } from '../../../contract/settings.ts';
import { AppError, isAppError, isDiskFull, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { download } from '../../engines/net/download.ts';
import { loadResumeState } from '../../engines/net/resume-state.ts';
import type { HttpClient } from '../../engines/net/types.ts';
import type { WritableDb } from '../../stores/database.ts';
import { deleteModelDownload, listModelDownloads, writeModelDownload } from '../../stores/models.ts';
import type { ModelDownloadRow } from '../../stores/schema.ts';
import type { CatalogueModel } from './catalogue.ts';
import { type ModelFiles, modelFileName } from './files.ts';
import { checkAgainstCatalogue, checkModelFile, isBrokenModel, type ModelTrial, tooLarge } from './verify.ts';

type DownloadState = ModelDownloadRow['state'] | 'installed' | 'removed';

export type DownloadsOptions = {
  readonly db: WritableDb;
  readonly logger: Logger;
  readonly http: HttpClient;
  readonly trial: ModelTrial;
  readonly files: ModelFiles;
  /** The address of the folder that models come from. */
  readonly baseUrl: () => string;
  readonly stallSeconds: () => number;
  /** Told of every change, but of progress a few times a second at most. */
  readonly onChange: (id: string, state: DownloadState, received: number, total: number) => void;
};

type Progress = { readonly received: number; readonly total: number };
type Watcher = (progress: Progress) => void;
type StopReason = 'paused' | 'removed' | 'shutdown';

type Running = {
  readonly model: CatalogueModel;
  readonly controller: AbortController;
  readonly watchers: Set<Watcher>;
  /** Why it was told to stop. */
  stopped: StopReason | undefined;
  /** Why it ended without a model; undefined when the model is installed. Never rejects. */
  readonly done: Promise<AppError | undefined>;
  progress: Progress;
  saidAt: number;
};

const SAY_EVERY_MS = 250;

const STOPPED: Readonly<Record<StopReason, string>> = {
  paused: 'its download was paused',
  removed: 'its download was cancelled',
  shutdown: 'Earshot is shutting down',
};

/**
 * `https://host/folder?token` and `ggml-base.bin` → `https://host/folder/ggml-base.bin?token`. A model that is
 * published elsewhere comes from there, unless the owner named a mirror.
 */
const modelUrl = (baseUrl: string, { id, address }: CatalogueModel): string => {
  if (address !== undefined && baseUrl === SETTINGS['models.baseUrl'].default) return address;
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${encodeURIComponent(modelFileName(id))}`;
  return url.href;
};

/** Downloads of models: one for each model however many wait for it, kept over restarts, checked before they count. */
export class ModelDownloads {
  readonly #o: DownloadsOptions;
  readonly #running = new Map<string, Running>();
  readonly #kept: Map<string, ModelDownloadRow>;

  constructor(options: DownloadsOptions) {
    this.#o = options;
    this.#kept = new Map(listModelDownloads(options.db).map((row) => [row.id, row]));
  }

  /** Goes on with what was under way when the program ended, and removes what nobody will go on with. */
  async open(find: (id: string) => CatalogueModel | undefined): Promise<void> {
    for (const row of [...this.#kept.values()]) {
      const known = find(row.id) !== undefined && this.#o.files.path(row.id) === undefined;
      if (!known) this.#forget(row.id);
    }
    await this.#o.files.sweep((id) => this.#kept.has(id));
    for (const row of [...this.#kept.values()]) {
      const model = find(row.id);
      if (row.state === 'downloading' && model !== undefined) this.#begin(model, row.received);
    }
  }

  /** How far a download is; undefined when there is none. */
  stateOf(id: string): ModelDownloadRow | undefined {
    const running = this.#running.get(id);
    if (running === undefined) return this.#kept.get(id);
    return { id, state: 'downloading', ...running.progress, error: null };
  }

  /** Begins a download, goes on with a paused or failed one, or joins one under way. Throws `disk_full`. */
  async start(model: CatalogueModel): Promise<void> {
    if (this.#running.has(model.id)) return;
    const { files, baseUrl } = this.#o;
    const resume = await loadResumeState(files.partial(model.id), modelUrl(baseUrl(), model));
    const received = files.isDownloaded(model.id) ? model.size : (resume?.bytes ?? 0);
    const others = [...this.#running.values()].reduce(
      (sum, { progress }) => sum + progress.total - progress.received,
      0,
    );
    await files.checkRoom(Math.max(0, model.size - received) + others);
    // Somebody may have been quicker while the disk was looked at.
    if (!this.#running.has(model.id)) this.#begin(model, received);
  }

  /** Waits for a download under way. Gives why it failed, or undefined; throws `cancelled` when the signal fires. */
  async wait(id: string, signal: AbortSignal, watcher: Watcher): Promise<AppError | undefined> {
    const running = this.#running.get(id);
    if (running === undefined) {
      const { error } = this.#kept.get(id) ?? { error: null };
      return error === null ? undefined : new AppError('download_failed', error);
    }
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(new AppError('cancelled', 'The job was cancelled.'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    running.watchers.add(watcher);
    watcher(running.progress);
    try {
      return await Promise.race([running.done, stopped.promise]);
    } finally {
      running.watchers.delete(watcher);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Stops a download so that it can go on later. Whether there was one under way. */
  async pause(id: string): Promise<boolean> {
    return this.#stop(id, 'paused');
  }

  /** Ends a download and removes what it had brought; answers whether there was something to end. */
  async cancel(id: string): Promise<boolean> {
    const running = await this.#stop(id, 'removed');
    const kept = this.#kept.has(id);
    await this.#o.files.removePartial(id);
    this.#forget(id);
    return running || kept;
  }

  /** Stops all downloads; they go on at the next start. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.#stop(id, 'shutdown')));
  }

  async #stop(id: string, reason: StopReason): Promise<boolean> {
    const running = this.#running.get(id);
    if (running === undefined) return false;
    running.stopped ??= reason;
    running.controller.abort();
    await running.done;
    return true;
  }

  #begin(model: CatalogueModel, received: number): void {
    const { promise, resolve } = Promise.withResolvers<AppError | undefined>();
    const running: Running = {
      model,
      controller: new AbortController(),
      watchers: new Set(),
      stopped: undefined,
      done: promise,
      progress: { received, total: model.size },
      saidAt: 0,
    };
    this.#running.set(model.id, running);
    this.#keep({ id: model.id, state: 'downloading', ...running.progress, error: null });
    this.#fetch(running)
      .then(
        () => this.#succeeded(running),
        (error: unknown) => this.#failed(running, error),
      )
      .then(resolve, (error: unknown) => {
        // Writing down how it ended failed as well: the next start finds it under way, and goes on.
        this.#running.delete(model.id);
        this.#o.logger.error({ model: model.id, reason: messageOf(error) }, 'The end of a download was lost');
        resolve(isAppError(error) ? error : new AppError('internal_error', messageOf(error)));
      });
  }

  async #fetch(running: Running): Promise<void> {
    const { model, controller } = running;
    const { files, http, trial, baseUrl, stallSeconds } = this.#o;
    const path = files.partial(model.id);
    const leftWhole = files.isDownloaded(model.id);
    try {
      if (!leftWhole) {
        await download(http, {
          url: modelUrl(baseUrl(), model),
          destination: path,
          purpose: 'model',
          limits: { maxBytes: model.sizes.most, stallSeconds: stallSeconds() },
          signal: controller.signal,
          onProgress: ({ bytes, total }) => this.#progress(running, bytes, total ?? model.size),
        }).catch((error: unknown) => {
          throw isAppError(error) && error.code === 'download_too_large' ? tooLarge(model, error) : error;
        });
      }
      await checkAgainstCatalogue(path, model, controller.signal);
      await checkModelFile(trial, model.id, path, controller.signal);
    } catch (error) {
      if (!isBrokenModel(error)) throw error;
      await files.removePartial(model.id);
      // What an earlier run left whole may be older than the address: it gets one honest try from there.
      if (leftWhole) return this.#fetch(running);
      throw error;
    }
    controller.signal.throwIfAborted();
    await files.adopt(model.id, path);
  }

  #progress(running: Running, received: number, total: number): void {
    running.progress = { received, total };
    const now = performance.now();
    if (now - running.saidAt < SAY_EVERY_MS && received !== total) return;
    running.saidAt = now;
    for (const watcher of running.watchers) watcher(running.progress);
    this.#o.onChange(running.model.id, 'downloading', received, total);
  }

  #succeeded({ model }: Running): undefined {
    this.#running.delete(model.id);
    this.#forget(model.id);
    this.#o.logger.info({ model: model.id }, 'A model was installed');
    this.#o.onChange(model.id, 'installed', model.size, model.size);
  }

  #failed({ model, stopped: reason, progress }: Running, error: unknown): AppError {
    this.#running.delete(model.id);
    const { id } = model;
    if (reason === 'shutdown') {
      this.#keep({ id, state: 'downloading', ...progress, error: null });
    } else if (reason === 'paused') {
      this.#keep({ id, state: 'paused', ...progress, error: null });
      this.#o.onChange(id, 'paused', progress.received, progress.total);
    } else if (reason === 'removed') {
      this.#forget(id);
      this.#o.onChange(id, 'removed', 0, progress.total);
    } else {
      return this.#gaveUp(id, progress, error);
    }
    return new AppError('cancelled', STOPPED[reason]);
  }

  #gaveUp(id: string, progress: Progress, error: unknown): AppError {
    const failure = this.#explain(id, error);
    const received = isBrokenModel(error) ? 0 : progress.received;
    this.#keep({ id, state: 'failed', received, total: progress.total, error: failure.message });
    this.#o.logger.warn({ model: id, code: failure.code }, 'A model was not installed');
    this.#o.onChange(id, 'failed', received, progress.total);
    return failure;
  }

  #explain(id: string, error: unknown): AppError {
    if (isAppError(error)) return error;
    if (isDiskFull(error)) return new AppError('disk_full', 'The disk is full. Free some space, then go on.');
    this.#o.logger.error(
      { model: id, stack: error instanceof Error ? error.stack : undefined },
      'A download failed for a reason that nobody foresaw',
    );
    return new AppError('internal_error', 'Something went wrong inside Earshot. The log has the details.');
  }

  #keep(row: ModelDownloadRow): void {
    this.#kept.set(row.id, row);
    writeModelDownload(this.#o.db, row);
  }

  #forget(id: string): void {
    this.#kept.delete(id);
    deleteModelDownload(this.#o.db, id);
  }
}
