import { type FileHandle, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_NETWORK_STALL_SECONDS } from '../../../contract/settings.ts';
import { cancellationError, throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError, isDiskFull } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { decodedBody, encodingOf } from './content-encoding.ts';
import { parseContentRange, parseLength } from './content-range.ts';
import { downloadFileName } from './file-name.ts';
import { explainStatus, isTransientStatus } from './http-status.ts';
import { explainNetworkError } from './network-errors.ts';
import { loadResumeState, type ResumeState, removeResumeState, saveResumeState } from './resume-state.ts';
import { machineSlept } from './slept.ts';
import type { DownloadOptions, DownloadResult, HttpClient, OpenedResponse } from './types.ts';

/** After this many bytes the file is flushed and the resume state saved: what a crash can cost. */
const FLUSH_EVERY = 4 * 1024 * 1024;
/** Room left on the disk for everything else. */
const SPARE_DISK = 64 * 1024 * 1024;

/** An error after which the same download may go on. */
class Interrupted extends Error {
  readonly reason: AppError;
  constructor(reason: AppError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

const diskFull = (cause?: unknown): AppError =>
  new AppError('disk_full', 'The disk is full. Free some space, then try again.', { cause });

const tooLarge = (maxBytes: number): AppError =>
  new AppError('download_too_large', `The file is larger than the limit of ${formatBytes(maxBytes)}.`);

const isStrong = (etag: string | null): etag is string => etag !== null && !etag.startsWith('W/');

/** Whether the rest of a partial file can be asked for with a proof that the file is still the same. */
const canResume = (state: ResumeState): boolean =>
  state.bytes > 0 && (state.etag !== null || state.lastModified !== null);

const rangeHeaders = (state: ResumeState): Record<string, string> => {
  if (!canResume(state)) return {};
  const validator = isStrong(state.etag) ? state.etag : state.lastModified;
  return {
    range: `bytes=${state.bytes}-`,
    // A weak ETag may not stand in If-Range (RFC 9110, 13.1.5): it is compared when the answer comes.
    ...(validator === null ? {} : { 'if-range': validator }),
  };
};

class Download {
  readonly #client: HttpClient;
  readonly #options: DownloadOptions;
  #state: ResumeState;
  #fetched = 0;
  #flushed = 0;
  #rangesWork = true;
  /** Wall clock of the last sign of life, in milliseconds. */
  #heard = 0;

  constructor(client: HttpClient, options: DownloadOptions, state: ResumeState | null) {
    this.#client = client;
    this.#options = options;
    this.#state = state ?? {
      version: 1,
      url: options.url,
      bytes: 0,
      total: null,
      etag: null,
      lastModified: null,
    };
    this.#flushed = this.#state.bytes;
  }

  async run(): Promise<DownloadResult> {
    try {
      await this.#note();
      const file = await open(this.#options.destination, this.#state.bytes > 0 ? 'r+' : 'w', 0o600);
      try {
        return await this.#run(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      throw isDiskFull(error) ? diskFull(error) : error;
    }
  }

  async #run(file: FileHandle): Promise<DownloadResult> {
    const { signal, limits, destination } = this.#options;
    let wait = limits.retryDelay ?? 500;
    let best = this.#state.bytes;
    for (let tries = 1; ; tries++) {
      throwIfAborted(signal);
      try {
        const response = await this.#attempt(file);
        await file.truncate(this.#state.bytes);
        await file.sync();
        await removeResumeState(destination);
        return this.#result(response);
      } catch (error) {
        if (!(error instanceof Interrupted)) {
          // The first error is the one to report; without the notes a later call only starts over.
          await this.#flush(file).catch(() => undefined);
          throw error;
        }
        await this.#flush(file);
        if (this.#state.bytes > best) {
          best = this.#state.bytes;
          tries = 0;
          wait = limits.retryDelay ?? 500;
        }
        if (tries >= (limits.maxTries ?? 5)) throw error.reason;
      }
      await delay(wait, undefined, { signal }).catch(() => {
        throw cancellationError(signal);
      });
      wait = Math.min(wait * 2, 30_000);
    }
  }

  #result(response: OpenedResponse): DownloadResult {
    return {
      bytes: this.#state.bytes,
      bytesFetched: this.#fetched,
      contentType: response.headers['content-type'] ?? null,
      fileName: downloadFileName(response.headers, this.#options.url, response.url),
      etag: this.#state.etag,
      lastModified: this.#state.lastModified,
      finalUrl: response.url,
    };
  }

  async #attempt(file: FileHandle): Promise<OpenedResponse> {
    const { url, purpose, headers, signal, limits } = this.#options;
    const resumed = this.#state.bytes > 0;
    let response: OpenedResponse;
    try {
      response = await this.#client.open({
        url,
        purpose,
        signal,
        stallSeconds: limits.stallSeconds,
        headers: { ...headers, ...(this.#rangesWork ? rangeHeaders(this.#state) : {}) },
      });
    } catch (error) {
      // Before the first byte a failure is final: the address is wrong, or the server is not there.
      if (resumed && isAppError(error) && error.code === 'download_failed') throw new Interrupted(error);
      throw error;
    }
    try {
      this.#accept(response);
      await this.#checkRoom();
      await this.#receive(file, response);
    } finally {
      response.body.destroy();
    }
    return response;
  }

  /** Decides from the answer's head where its bytes belong. */
  #accept(response: OpenedResponse): void {
    const etag = response.headers.etag ?? null;
    if (response.status === 206) {
      const range = parseContentRange(response.headers['content-range']);
      const sameFile =
        etag === this.#state.etag && (this.#state.total === null || range?.total === this.#state.total);
      if (range?.first === this.#state.bytes && sameFile && encodingOf(response) === null) return;
      if (range?.first !== this.#state.bytes) this.#rangesWork = false;
      this.#startOver(null, null, null);
      throw new Interrupted(
        new AppError('download_failed', 'The server sent another part of the file than it was asked for.'),
      );
    }
    if (response.status === 416 && this.#state.bytes > 0) {
      this.#startOver(null, null, null);
      throw new Interrupted(explainStatus(response));
    }
    if (isTransientStatus(response.status)) throw new Interrupted(explainStatus(response));
    if (response.status !== 200) throw explainStatus(response);
    const packed = encodingOf(response) !== null;
    this.#startOver(
      packed ? null : parseLength(response.headers['content-length']),
      packed ? null : etag,
      packed ? null : (response.headers['last-modified'] ?? null),
    );
  }

  #startOver(total: number | null, etag: string | null, lastModified: string | null): void {
    this.#state = { ...this.#state, bytes: 0, total, etag, lastModified };
    this.#flushed = 0;
  }

  async #checkRoom(): Promise<void> {
    const { limits, destination } = this.#options;
    const { total, bytes } = this.#state;
    if (total === null) return;
    if (total > limits.maxBytes) throw tooLarge(limits.maxBytes);
    const disk = await statfs(dirname(destination));
    if (total - bytes + SPARE_DISK > disk.bavail * disk.bsize) throw diskFull();
  }

  async #receive(file: FileHandle, response: OpenedResponse): Promise<void> {
    const { limits, onProgress } = this.#options;
    const body = decodedBody(response);
    this.#heard = Date.now();
    try {
      for await (const chunk of body) {
        await this.#write(file, chunk);
        this.#heard = Date.now();
        onProgress?.({ bytes: this.#state.bytes, total: this.#state.total });
      }
    } catch (error) {
      throw this.#explainBroken(error, response);
    }
    const { total, bytes } = this.#state;
    if (total !== null && bytes !== total) {
      throw new Interrupted(
        new AppError('download_failed', `The server announced ${total} bytes and sent ${bytes}.`),
      );
    }
    if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
  }

  #explainBroken(error: unknown, response: OpenedResponse): unknown {
    if (isDiskFull(error)) return diskFull(error);
    const { limits, signal } = this.#options;
    if (isAppError(error) && error.code === 'download_timeout') {
      const slept = machineSlept(
        Date.now() - this.#heard,
        limits.stallSeconds ?? DEFAULT_NETWORK_STALL_SECONDS,
      );
      return slept ? new Interrupted(error) : error;
    }
    if (isAppError(error) && error.code !== 'download_failed') return error;
    const reason = explainNetworkError(error, {
      host: new URL(response.url).host,
      stallSeconds: limits.stallSeconds ?? DEFAULT_NETWORK_STALL_SECONDS,
      signal,
    });
    const { total, bytes } = this.#state;
    const sentence = total === null ? '' : ` It had sent ${bytes} of ${total} bytes.`;
    return reason.code === 'download_failed'
      ? new Interrupted(new AppError('download_failed', `${reason.message}${sentence}`, { cause: error }))
      : reason;
  }

  async #write(file: FileHandle, chunk: Buffer): Promise<void> {
    this.#fetched += chunk.length;
    const end = this.#state.bytes + chunk.length;
    if (end > this.#options.limits.maxBytes) throw tooLarge(this.#options.limits.maxBytes);
    let written = 0;
    while (written < chunk.length) {
      const part = await file.write(chunk, written, chunk.length - written, this.#state.bytes);
      written += part.bytesWritten;
      this.#state = { ...this.#state, bytes: this.#state.bytes + part.bytesWritten };
    }
    if (end - this.#flushed >= FLUSH_EVERY) await this.#flush(file);
  }

  /** Notes what is on the disk for a later call; as long as there is a note, the file is not whole. */
  async #note(): Promise<void> {
    const bytes = canResume(this.#state) ? this.#flushed : 0;
    await saveResumeState(this.#options.destination, { ...this.#state, bytes });
  }

  /** Puts on the disk what is there, and notes it. */
  async #flush(file: FileHandle): Promise<void> {
    await file.datasync();
    this.#flushed = this.#state.bytes;
    await this.#note();
  }
}

/**
 * Downloads a file, going on after broken connections and after an earlier call that did not finish
 * (see DownloadOptions.destination). A file that changed in between is fetched anew. The file is
 * flushed to the disk when this returns.
 * Throws AppError `download_failed`, `download_timeout`, `download_too_large`, `address_not_allowed`,
 * `offline`, `disk_full`, `cancelled`. A failed call leaves the partial file for the next one.
 */
export const download = async (client: HttpClient, options: DownloadOptions): Promise<DownloadResult> => {
  const state = await loadResumeState(options.destination, options.url);
  return new Download(client, options, state).run();
};
