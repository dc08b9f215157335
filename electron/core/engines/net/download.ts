import { type FileHandle, open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { DEFAULT_NETWORK_STALL_SECONDS } from '../../../contract/settings.ts';
import { cancellationError, throwIfAborted } from '../../base/abort.ts';
import { AppError, hasDiskFullCode, isAppError, systemCode } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { withoutLogin } from '../../base/url-login.ts';
import {
  decodedBody,
  explainStatus,
  isEncoded,
  isTransientStatus,
  parseContentRange,
  parseLength,
} from './content-encoding.ts';
import { downloadFileName } from './file-name.ts';
import { DOWNLOAD_MIN_RATE, explainNetworkError } from './network-errors.ts';
import { wasSuspended } from './suspend.ts';
import type { DownloadOptions, DownloadResult, HttpClient, OpenedResponse } from './types.ts';

const ResumeState = z.object({
  version: z.literal(1),
  url: z.string(),
  /** Bytes of the partial file that have been flushed to the disk. */
  bytes: z.int().min(0),
  total: z.int().min(0).nullable(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
});

/** What a later call, perhaps in another process, needs to resume a partial file. */
type ResumeState = z.output<typeof ResumeState>;

const sidecarOf = (destination: string): string => `${destination}.resume.json`;

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
};

const parseState = (text: string): ResumeState | null => {
  try {
    return ResumeState.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Truncated by a crash while it was written: start again.
    return null;
  }
};

/** The state of an earlier call for the same URL, or null if there is nothing to resume. */
export const loadResumeState = async (destination: string, url: string): Promise<ResumeState | null> => {
  let text: string;
  try {
    text = await readFile(sidecarOf(destination), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  const state = parseState(text);
  if (state === null || state.url !== url || state.bytes === 0) return null;
  return (await sizeOf(destination)) >= state.bytes ? state : null;
};

const saveResumeState = async (destination: string, state: ResumeState): Promise<void> => {
  const path = sidecarOf(destination);
  await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${path}.new`, path);
};

export const removeResumeState = async (destination: string): Promise<void> => {
  await rm(sidecarOf(destination), { force: true });
  await rm(`${sidecarOf(destination)}.new`, { force: true });
};

const revalidationPath = (destination: string): string => `${destination}.again.json`;

/** Saves, beside a complete file, the validator by which its server can prove later that it has not changed. */
export const saveRevalidationState = async (
  destination: string,
  { url, bytes, etag, lastModified }: Pick<ResumeState, 'url' | 'bytes' | 'etag' | 'lastModified'>,
): Promise<void> => {
  if (bytes < 2 || (etag === null && lastModified === null)) return;
  const state: ResumeState = { version: 1, url, bytes: bytes - 1, total: bytes, etag, lastModified };
  await writeFile(revalidationPath(destination), JSON.stringify(state), { mode: 0o600 });
};

/**
 * Turns a complete file into a partial one that lacks its last byte: the next download requests that byte alone, and
 * gets the whole file if it has changed. Returns false, and does nothing, if there is no validator.
 */
export const reopenForRevalidation = async (destination: string): Promise<boolean> => {
  try {
    await rename(revalidationPath(destination), sidecarOf(destination));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
};

/** The file is flushed and the resume state saved after this many bytes: the most that a crash can lose. */
const FLUSH_EVERY = 4 * 1024 * 1024;
/** What `checkHead` gets to see: enough for the title of a web page. */
const HEAD_BYTES = 64 * 1024;
/** An attempt that ends below this counts as one without progress: it is less than DOWNLOAD_MIN_RATE in a few seconds. */
const MIN_ATTEMPT_BYTES = 4096;
/** A download leaves this much free space on the disk. */
const MIN_FREE_DISK = 64 * 1024 * 1024;

/** A failed attempt after which the download can be resumed. */
class AttemptFailed extends Error {
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

const isStrongEtag = (etag: string | null): etag is string => etag !== null && !etag.startsWith('W/');

/** Whether the rest can be requested with a validator, which proves that the file is still the same. */
const canResume = (state: ResumeState): boolean =>
  state.bytes > 0 && (state.etag !== null || state.lastModified !== null);

const rangeHeaders = (state: ResumeState): Record<string, string> => {
  if (!canResume(state)) return {};
  const validator = isStrongEtag(state.etag) ? state.etag : state.lastModified;
  return {
    range: `bytes=${state.bytes}-`,
    // If-Range must not carry a weak ETag (RFC 9110, 13.1.5): it is compared when the response arrives.
    ...(validator === null ? {} : { 'if-range': validator }),
  };
};

class Download {
  readonly #client: HttpClient;
  readonly #options: DownloadOptions;
  #state: ResumeState;
  #bytesFetched = 0;
  #flushedBytes = 0;
  #areRangesReliable = true;
  #isHeadChecked = false;
  /** Wall clock of the last received data, in milliseconds. */
  #lastDataAt = 0;

  constructor(client: HttpClient, options: DownloadOptions, state: ResumeState | null) {
    this.#client = client;
    this.#options = options;
    this.#state = state ?? {
      version: 1,
      url: withoutLogin(options.url),
      bytes: 0,
      total: null,
      etag: null,
      lastModified: null,
    };
    this.#flushedBytes = this.#state.bytes;
  }

  async run(): Promise<DownloadResult> {
    try {
      await this.#saveState();
      const file = await open(this.#options.destination, this.#state.bytes > 0 ? 'r+' : 'w+', 0o600);
      try {
        return await this.#runAttempts(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      throw hasDiskFullCode(error) ? diskFull(error) : error;
    }
  }

  async #runAttempts(file: FileHandle): Promise<DownloadResult> {
    const { signal, limits, destination } = this.#options;
    let wait = limits.retryDelay ?? 500;
    let mostBytes = this.#state.bytes;
    for (let tries = 1; ; tries++) {
      throwIfAborted(signal);
      try {
        const response = await this.#attempt(file);
        await file.truncate(this.#state.bytes);
        await file.sync();
        await removeResumeState(destination);
        return this.#result(response);
      } catch (error) {
        if (!(error instanceof AttemptFailed)) {
          // Report the first error; without a saved state a later call merely starts again.
          await this.#flush(file).catch(() => undefined);
          throw error;
        }
        await this.#flush(file);
        if (this.#state.bytes >= mostBytes + MIN_ATTEMPT_BYTES) {
          mostBytes = this.#state.bytes;
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
      bytesFetched: this.#bytesFetched,
      contentType: response.headers['content-type'] ?? null,
      fileName: downloadFileName(response.headers, this.#options.url, response.url),
      etag: this.#state.etag,
      lastModified: this.#state.lastModified,
      finalUrl: response.url,
    };
  }

  async #attempt(file: FileHandle): Promise<OpenedResponse> {
    const { url, purpose, headers, signal, limits } = this.#options;
    const isResumed = this.#state.bytes > 0;
    let response: OpenedResponse;
    try {
      response = await this.#client.open({
        url,
        purpose,
        signal,
        stallSeconds: limits.stallSeconds,
        minRate: limits.minRate ?? DOWNLOAD_MIN_RATE,
        headers: { ...headers, ...(this.#areRangesReliable ? rangeHeaders(this.#state) : {}) },
      });
    } catch (error) {
      // A failure before the first byte is final: the URL is wrong, or the server is down.
      if (isResumed && isAppError(error) && error.code === 'download_failed') throw new AttemptFailed(error);
      throw error;
    }
    try {
      this.#handleHead(response);
      await this.#checkDiskSpace();
      await this.#receive(file, response);
    } finally {
      response.body.destroy();
    }
    return response;
  }

  /** Decides from status and headers whether the body continues the file or starts it again. */
  #handleHead(response: OpenedResponse): void {
    const etag = response.headers.etag ?? null;
    if (response.status === 206) {
      const range = parseContentRange(response.headers['content-range']);
      const isSameFile =
        etag === this.#state.etag && (this.#state.total === null || range?.total === this.#state.total);
      if (range?.first === this.#state.bytes && isSameFile && !isEncoded(response)) return;
      if (range?.first !== this.#state.bytes) this.#areRangesReliable = false;
      this.#restart(null, null, null);
      throw new AttemptFailed(
        new AppError('download_failed', 'The server sent another part of the file than it was asked for.'),
      );
    }
    if (response.status === 416 && this.#state.bytes > 0) {
      this.#restart(null, null, null);
      throw new AttemptFailed(explainStatus(response));
    }
    if (isTransientStatus(response.status)) throw new AttemptFailed(explainStatus(response));
    if (response.status >= 400 && this.#areRangesReliable && canResume(this.#state)) {
      // The whole file may be served all the same; what is there is kept until it begins to arrive.
      this.#areRangesReliable = false;
      throw new AttemptFailed(explainStatus(response));
    }
    if (response.status !== 200) throw explainStatus(response);
    // A decoded file has another length, and no byte ranges.
    if (isEncoded(response)) this.#restart(null, null, null);
    else {
      const { 'content-length': length, 'last-modified': lastModified = null } = response.headers;
      this.#restart(parseLength(length), etag, lastModified);
    }
  }

  #restart(total: number | null, etag: string | null, lastModified: string | null): void {
    this.#state = { ...this.#state, bytes: 0, total, etag, lastModified };
    this.#flushedBytes = 0;
    this.#isHeadChecked = false;
  }

  async #checkDiskSpace(): Promise<void> {
    const { limits, destination } = this.#options;
    const { total, bytes } = this.#state;
    if (total === null) return;
    if (total > limits.maxBytes) throw tooLarge(limits.maxBytes);
    const disk = await statfs(dirname(destination));
    if (total - bytes + MIN_FREE_DISK > disk.bavail * disk.bsize) throw diskFull();
  }

  async #receive(file: FileHandle, response: OpenedResponse): Promise<void> {
    const { limits, onProgress } = this.#options;
    const body = decodedBody(response);
    this.#lastDataAt = Date.now();
    try {
      for await (const chunk of body) {
        await this.#write(file, chunk);
        this.#lastDataAt = Date.now();
        onProgress?.({ bytes: this.#state.bytes, total: this.#state.total });
        if (this.#state.bytes >= HEAD_BYTES) await this.#checkHead(file);
      }
    } catch (error) {
      throw this.#explainFailure(error, response);
    }
    const { total, bytes } = this.#state;
    if (total !== null && bytes !== total) {
      throw new AttemptFailed(
        new AppError('download_failed', `The server announced ${total} bytes and sent ${bytes}.`),
      );
    }
    if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
    await this.#checkHead(file);
  }

  async #checkHead(file: FileHandle): Promise<void> {
    const { checkHead } = this.#options;
    if (checkHead === undefined || this.#isHeadChecked) return;
    this.#isHeadChecked = true;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    await checkHead(buffer.subarray(0, Math.min(bytesRead, this.#state.bytes)), this.#bytesFetched);
  }

  #explainFailure(error: unknown, response: OpenedResponse): unknown {
    if (hasDiskFullCode(error)) return diskFull(error);
    const { limits, signal } = this.#options;
    if (isAppError(error) && error.code === 'download_timeout') {
      const isSuspended = wasSuspended(
        Date.now() - this.#lastDataAt,
        limits.stallSeconds ?? DEFAULT_NETWORK_STALL_SECONDS,
      );
      return isSuspended ? new AttemptFailed(error) : error;
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
      ? new AttemptFailed(new AppError('download_failed', `${reason.message}${sentence}`, { cause: error }))
      : reason;
  }

  async #write(file: FileHandle, chunk: Buffer): Promise<void> {
    this.#bytesFetched += chunk.length;
    const end = this.#state.bytes + chunk.length;
    if (end > this.#options.limits.maxBytes) throw tooLarge(this.#options.limits.maxBytes);
    let written = 0;
    while (written < chunk.length) {
      const part = await file.write(chunk, written, chunk.length - written, this.#state.bytes);
      written += part.bytesWritten;
      this.#state = { ...this.#state, bytes: this.#state.bytes + part.bytesWritten };
    }
    if (end - this.#flushedBytes >= FLUSH_EVERY) await this.#flush(file);
  }

  /** Saves what is on the disk for a later call. As long as the state file exists, the download is incomplete. */
  async #saveState(): Promise<void> {
    const bytes = canResume(this.#state) ? this.#flushedBytes : 0;
    await saveResumeState(this.#options.destination, { ...this.#state, bytes });
  }

  /** Flushes the file to the disk, then saves the state. */
  async #flush(file: FileHandle): Promise<void> {
    await file.datasync();
    this.#flushedBytes = this.#state.bytes;
    await this.#saveState();
  }
}

/**
 * Downloads a file. Resumes after broken connections and after an earlier call that did not finish (see
 * DownloadOptions.destination); restarts if the file has changed. The file is flushed to the disk when this returns.
 * Throws AppError `download_failed`, `download_timeout`, `download_too_large`, `address_not_allowed`,
 * `offline`, `disk_full`, `cancelled`. A failed call leaves the partial file to the next one.
 */
export const download = async (client: HttpClient, options: DownloadOptions): Promise<DownloadResult> => {
  const state = await loadResumeState(options.destination, withoutLogin(options.url));
  return new Download(client, options, state).run();
};
