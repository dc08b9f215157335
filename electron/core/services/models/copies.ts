import { statSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Model } from '../../../contract/system.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import {
  type CopyTrial,
  type CopyTrialInput,
  makeCopy,
  tryCopy,
} from '../../engines/whisper/copies/trial.ts';
import { isFailure } from '../../engines/whisper/isolated.ts';
import type { Parallelism } from '../../engines/whisper/parallelism.ts';
import type { WorkerProcess } from '../../engines/worker/process.ts';
import type { Weights } from '../../pipeline/deps.ts';
import type { WritableDb } from '../../stores/database.ts';
import { deleteModelCopy, readModelCopies, writeModelCopy } from '../../stores/model-copies.ts';
import type { ModelCopyRow } from '../../stores/schema.ts';
import type { IdleTask, IdleWork } from '../idle-work.ts';
import type { SettingsService } from '../settings.ts';
import type { ModelFiles } from './files.ts';

export type CopyDeps = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly version: string;
  readonly addonPath: string;
  readonly parallelism: Parallelism;
  /** Where models run that no Vulkan device runs. */
  readonly device: CopyTrialInput['device'];
  /** Starts an engine process. */
  readonly forkEngine: () => WorkerProcess;
  readonly idleWork: IdleWork;
  /** Reads the bundled recording. */
  readonly sampleAudio: () => Promise<Float32Array>;
};

type Deps = CopyDeps & {
  readonly files: ModelFiles;
  /** Whether an installed model is one that a copy can be made of. */
  readonly isQuantizable: (id: string) => boolean;
  /** Called when a trial has ended. */
  readonly onSettled: (id: string) => void;
};

/** A q8_0 copy has 34 bytes for 32 numbers, the published file at least 64. */
const COPY_SHARE = 0.6;
/** The copy is written, and waits for its trial. */
const MADE = 'made';

const OUTCOMES: ReadonlySet<string> = new Set<CopyTrial['outcome']>([
  'faster',
  'slower',
  'different',
  'crashed',
  'timeout',
  'failed',
]);
const isOutcome = (outcome: string): outcome is CopyTrial['outcome'] => OUTCOMES.has(outcome);

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** A published file: one that was replaced is another one. */
const identityOf = (path: string): string => {
  const file = statOf(path);
  return JSON.stringify([file?.size, file?.mtimeMs]);
};

/**
 * Makes a copy of each f16 or f32 Whisper model with its matrices in q8_0, tries it against the published file while no job
 * runs, and keeps it where it hears the same words for less. The published file stays, and is used until then.
 */
export class QuantizedCopies {
  readonly #deps: Deps;
  readonly #rows: Map<string, ModelCopyRow>;
  readonly #waiting = new Set<string>();
  /** Models whose copy could not be made in this run, such as for want of space, with the reason. */
  readonly #failures = new Map<string, string>();
  readonly #conditions: string;
  /** Whether copies may have to be removed. */
  #hasCopies = true;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#rows = new Map(readModelCopies(deps.db).map((row) => [row.model, row]));
    const addon = statOf(deps.addonPath);
    const { threads, concurrency } = deps.parallelism;
    this.#conditions = JSON.stringify([
      deps.version,
      addon?.size,
      addon?.mtimeMs,
      cpus()[0]?.model,
      deps.device,
      threads,
      concurrency,
    ]);
    deps.idleWork.add(() => this.#next());
  }

  /** Plans the copies of installed models that lack one, and removes those that nobody uses. */
  open(installed: readonly string[]): void {
    for (const id of installed) this.consider(id);
    this.#deps.idleWork.schedule();
  }

  /** Plans the copy of an installed model unless it is known whether that is of use. */
  consider(id: string): void {
    const path = this.#deps.files.path(id);
    if (path === undefined || !this.#isCandidate(id) || this.#failures.has(id)) return;
    if (this.#settled(id, path) !== undefined) return;
    this.#waiting.add(id);
    this.#deps.idleWork.schedule();
  }

  /** Settings have changed. */
  settingsChanged(installed: readonly string[]): void {
    this.#failures.clear();
    this.#hasCopies = true;
    this.open(installed);
  }

  /**
   * The weights to hear with. A job that goes on names those it began with: it goes on with them as long as they are there, so that
   * one text comes from one file.
   */
  choose(
    id: string,
    published: string,
    begunWith?: Weights,
  ): { readonly path: string; readonly weights: Weights } {
    this.consider(id);
    const row = this.#rows.get(id);
    const isUsed = this.#isCandidate(id) && this.#settled(id, published)?.outcome === 'faster';
    const wanted = begunWith ?? (isUsed ? 'q8_0' : 'published');
    if (wanted === 'q8_0' && row !== undefined && this.#isWhole(row, published)) {
      return { path: this.#deps.files.copyPath(id), weights: 'q8_0' };
    }
    return { path: published, weights: 'published' };
  }

  /** What is known of a model's copy; null where there is none to be made. */
  describe(id: string): Model['quantized'] {
    const path = this.#deps.files.path(id);
    if (path === undefined || !this.#isCandidate(id)) return null;
    const failure = this.#failures.get(id);
    const row = this.#settled(id, path);
    if (failure === undefined && row === undefined && !this.#waiting.has(id)) return null;
    const outcome = row?.outcome ?? 'pending';
    return {
      outcome: failure === undefined ? (isOutcome(outcome) ? outcome : 'pending') : 'failed',
      size: row?.outcome === 'faster' ? row.bytes : null,
      published_seconds: row?.published_seconds ?? null,
      copy_seconds: row?.copy_seconds ?? null,
      detail: failure ?? row?.detail ?? null,
    };
  }

  /** Forgets a model that is removed, with its copy. */
  async remove(id: string): Promise<void> {
    this.#waiting.delete(id);
    this.#failures.delete(id);
    this.#rows.delete(id);
    deleteModelCopy(this.#deps.db, id);
    await this.#deps.files.removeCopy(id).catch(() => {
      // Windows removes no file that is in use.
      this.#hasCopies = true;
    });
  }

  #isWanted(): boolean {
    const { settings } = this.#deps;
    // A trial on the processor would say nothing about a graphics processor that somebody insists on.
    return settings.get('engine.quantize') === 'auto' && settings.get('engine.device') !== 'vulkan';
  }

  #isCandidate(id: string): boolean {
    return this.#isWanted() && this.#deps.isQuantizable(id);
  }

  /** The outcome of a trial that still counts. */
  #settled(id: string, published: string): ModelCopyRow | undefined {
    const row = this.#rows.get(id);
    if (row === undefined || row.conditions !== this.#conditions || !isOutcome(row.outcome)) return undefined;
    if (row.source !== identityOf(published)) return undefined;
    return row.outcome !== 'faster' || this.#isWhole(row, published) ? row : undefined;
  }

  /** Whether the copy is there as it was written, of the file that is installed. */
  #isWhole({ model, source, bytes }: ModelCopyRow, published: string): boolean {
    return (
      bytes !== null &&
      statOf(this.#deps.files.copyPath(model))?.size === bytes &&
      source === identityOf(published)
    );
  }

  #next(): IdleTask | undefined {
    if (this.#hasCopies) return () => this.#sweep();
    const [id] = this.#waiting;
    if (id === undefined || !this.#isWanted()) return undefined;
    return (signal) => this.#prepare(id, signal);
  }

  /** Removes copies that are of no use: no job runs that could need one. */
  async #sweep(): Promise<void> {
    this.#hasCopies = false;
    const { files, logger } = this.#deps;
    try {
      for (const id of await files.copies()) {
        const row = this.#rows.get(id);
        const path = files.path(id);
        const isOfUse =
          this.#isCandidate(id) && row !== undefined && path !== undefined && this.#isWhole(row, path);
        // Nothing is being written now.
        await (isOfUse ? files.removeUnfinishedCopy(id) : files.removeCopy(id));
      }
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'Copies of models could not be removed');
    }
  }

  /** Makes and tries a copy, or leaves it waiting where a job interrupts. */
  async #prepare(id: string, signal: AbortSignal): Promise<void> {
    const { logger, files, onSettled } = this.#deps;
    try {
      const path = files.path(id);
      if (path !== undefined && !(await this.#try(id, path, signal))) return;
    } catch (error) {
      if (signal.aborted) return;
      this.#failures.set(id, isAppError(error) ? error.message : messageOf(error));
      await files.removeCopy(id).catch(() => {});
      logger.warn({ model: id, reason: messageOf(error) }, 'The copy of a model could not be made');
    }
    this.#waiting.delete(id);
    onSettled(id);
  }

  /** Returns whether the outcome is known. */
  async #try(id: string, published: string, signal: AbortSignal): Promise<boolean> {
    const { settings, parallelism, forkEngine, device, files, logger, sampleAudio, idleWork } = this.#deps;
    const made = await this.#make(id, published, signal);
    if (made === undefined) return true;
    const trial = await tryCopy(
      { fork: forkEngine },
      {
        published,
        copy: files.copyPath(id),
        device,
        pcm: await sampleAudio(),
        copies: parallelism.concurrency,
        params: { language: 'auto', threads: parallelism.threads, beamSize: settings.get('engine.beamSize') },
      },
      signal,
    );
    // The model may have been removed or replaced meanwhile, and a job that goes on with the copy may have begun.
    if (!this.#rows.has(id)) return true;
    if (identityOf(published) !== made.source || idleWork.isBusy) return false;
    if (trial.outcome !== 'faster') await files.removeCopy(id);
    this.#save({
      ...made,
      outcome: trial.outcome,
      published_seconds: trial.publishedSeconds,
      copy_seconds: trial.copySeconds,
      detail: trial.detail,
    });
    logger.info({ model: id, ...trial }, 'The quantized copy of a model was tried');
    return true;
  }

  /** The copy that is there as it was written, or a new one. Undefined where the model does not permit one. */
  async #make(id: string, published: string, signal: AbortSignal): Promise<ModelCopyRow | undefined> {
    const before = this.#rows.get(id);
    const frame = this.#frame(id, published);
    if (before !== undefined && this.#isWhole(before, published)) {
      const { bytes, sha256, source_sha256 } = before;
      return { ...frame, bytes, sha256, source_sha256 };
    }
    // What was known of an earlier copy is not true of the next one, which can have its size.
    this.#save(frame);
    const { files, forkEngine } = this.#deps;
    await files.checkDiskSpace((statOf(published)?.size ?? 0) * COPY_SHARE);
    const written = await makeCopy({ fork: forkEngine }, published, await files.newCopyPath(id), signal);
    if (isFailure(written)) {
      if (!written.detail.startsWith('The model cannot be quantized')) {
        throw new AppError('internal_error', written.detail);
      }
      await files.removeCopy(id);
      this.#save({ ...frame, outcome: 'failed', detail: written.detail });
      return undefined;
    }
    await files.commitCopy(id);
    const { bytes, sha256, sourceSha256 } = written;
    const row = { ...frame, bytes, sha256, source_sha256: sourceSha256 };
    this.#save(row);
    return row;
  }

  #frame(id: string, published: string): ModelCopyRow {
    return {
      model: id,
      source: identityOf(published),
      source_sha256: null,
      sha256: null,
      bytes: null,
      conditions: this.#conditions,
      outcome: MADE,
      published_seconds: null,
      copy_seconds: null,
      detail: null,
      tried_at: this.#deps.clock.now(),
    };
  }

  #save(row: ModelCopyRow): void {
    this.#rows.set(row.model, row);
    writeModelCopy(this.#deps.db, row);
  }
}
