import type { AppError } from '../../../base/errors.ts';
import type { HttpClient, MinRate } from '../types.ts';

export type RangeReaderOptions = {
  readonly client: HttpClient;
  readonly url: string;
  readonly signal?: AbortSignal;
  /** Seconds without progress; default: that of the setting `network.stallSeconds`. */
  readonly stallSeconds?: number;
  /** Default DOWNLOAD_MIN_RATE. */
  readonly minRate?: MinRate;
  /** Most bytes to fetch in all; more is `download_too_large`. */
  readonly maxBytes: number;
};

/** A remote file that ffmpeg reads through a loopback URL. */
export type RangeReader = {
  readonly kind: 'range';
  /** `http://127.0.0.1:<port>/<token>`: for ffmpeg alone. */
  readonly url: string;
  readonly totalBytes: number;
  readonly fileName: string;
  readonly contentType: string | null;
  readonly finalUrl: string;
  /** Identifies the version of the file: a hash of its first block, size and validators. */
  readonly identity: string;
  /** Bytes fetched from the remote server so far. */
  bytesFetched(): number;
  /** The upstream error; ffmpeg sees no more than an input/output error. */
  failure(): AppError | null;
  close(): Promise<void>;
};

export type RangeReaderResult =
  | { readonly supported: true; readonly reader: RangeReader }
  /** The server does not support ranges: download the whole file instead. */
  | { readonly supported: false; readonly reason: string; readonly bytesFetched: number };
