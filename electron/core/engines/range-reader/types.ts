import type { AppError } from '../../base/errors.ts';
import type { HttpClient } from '../net/types.ts';

export type RangeReaderOptions = {
  readonly client: HttpClient;
  readonly url: string;
  readonly signal?: AbortSignal;
  /** Seconds without progress; default: that of the setting `network.stallSeconds`. */
  readonly stallSeconds?: number;
  /** Upper limit of the bytes fetched in all; more is `download_too_large`. */
  readonly maxBytes: number;
};

/** A remote file that ffmpeg reads through a loopback address, a piece at a time. */
export type RangeReader = {
  readonly kind: 'range';
  /** `http://127.0.0.1:<port>/<token>`: for ffmpeg alone. */
  readonly url: string;
  readonly totalBytes: number;
  readonly fileName: string;
  readonly contentType: string | null;
  readonly finalUrl: string;
  /** The same for the same version of the file, by its first bytes and what the server says of it. */
  readonly identity: string;
  /** Bytes fetched from the remote server so far. */
  bytesFetched(): number;
  /** What went wrong upstream; ffmpeg itself only sees an input/output error. */
  failure(): AppError | null;
  close(): Promise<void>;
};

export type RangeReaderResult =
  | { readonly supported: true; readonly reader: RangeReader }
  /** The server does not serve ranges: download the whole file instead. */
  | { readonly supported: false; readonly reason: string; readonly bytesFetched: number };
