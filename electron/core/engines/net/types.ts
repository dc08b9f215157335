import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ConnectionPurpose } from '../../../contract/system.ts';

/** What the user allows; read for every request. */
export type NetworkPolicy = {
  readonly allowPrivateAddresses: boolean;
  readonly offline: boolean;
  /**
   * The origin of models, from the settings. It may be private, for the purpose `model` alone. Another origin that it
   * redirects to is checked as usual.
   */
  readonly modelOrigin?: string | null;
};

/** An entry of the connection log: a request that left this machine, or that was rejected before. */
export type ConnectionRecord = {
  readonly host: string;
  /** The remote address; null if there was no connection. */
  readonly address: string | null;
  readonly purpose: ConnectionPurpose;
  /** Bytes of body received. */
  readonly bytes: number;
  readonly error: string | null;
};

export type ResolvedAddress = { readonly address: string; readonly family: number };

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

export type HttpClientOptions = {
  readonly policy: () => NetworkPolicy;
  /** The product's version, for `User-Agent: Earshot/<version>`. */
  readonly version: string;
  readonly onConnection?: (record: ConnectionRecord) => void;
  /** May name a proxy for model downloads; default: none. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
};

/** The lowest average rate at which a body must arrive; slower is `download_timeout`. */
export type MinRate = {
  readonly bytesPerSecond: number;
  /** What the average is taken over: seconds of waiting for data, not of a slow reader. At least twice `stallSeconds`. */
  readonly overSeconds: number;
};

export type OpenOptions = {
  readonly url: string;
  readonly purpose: ConnectionPurpose;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Seconds without progress until `download_timeout`; default: that of the setting `network.stallSeconds`. */
  readonly stallSeconds?: number;
  /** Default: none, since an event stream may pause between its events. */
  readonly minRate?: MinRate;
  /** Redirects to follow, each checked like the first URL; default 5. */
  readonly maxRedirects?: number;
};

/** A response whose body must be read to its end or destroyed. */
export type OpenedResponse = {
  readonly status: number;
  /** Lower-case names; several values are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL after redirects, without credentials. */
  readonly url: string;
  /** Where later requests can go at once: null without redirects, and if these set cookies, which only a new chain sends. */
  readonly movedTo: string | null;
  /** Emits AppErrors. */
  readonly body: Readable;
};

export type TunnelOptions = {
  readonly host: string;
  readonly port: number;
  readonly purpose: ConnectionPurpose;
  readonly signal?: AbortSignal;
};

/** Makes all outbound connections of the program, under the address rule, offline mode and the connection log. */
export type HttpClient = {
  /**
   * Sends a request and follows redirects. No status is an error.
   * Throws AppError `offline`, `address_not_allowed`, `download_failed`, `download_timeout`, `cancelled`.
   */
  open(options: OpenOptions): Promise<OpenedResponse>;
  /**
   * Opens a bare connection, for a program that speaks TLS end to end by itself. Throws as `open` does.
   */
  tunnel(options: TunnelOptions): Promise<Socket>;
  close(): Promise<void>;
};

export type DownloadLimits = {
  /** Bytes; larger is `download_too_large`. */
  readonly maxBytes: number;
  /** Seconds without progress; default: that of the setting `network.stallSeconds`. */
  readonly stallSeconds?: number;
  /** Default DOWNLOAD_MIN_RATE. */
  readonly minRate?: MinRate;
  /** Consecutive attempts without MIN_ATTEMPT_BYTES of progress; default 5. */
  readonly maxTries?: number;
  /** Milliseconds before the first retry, doubled each time; default 500. */
  readonly retryDelay?: number;
};

export type DownloadProgress = { readonly bytes: number; readonly total: number | null };

export type DownloadOptions = {
  readonly url: string;
  /**
   * The partial file. `<destination>.resume.json` beside it holds what a later call, also in another process, needs to
   * resume. It exists before the first byte and is removed when the file is complete.
   */
  readonly destination: string;
  readonly purpose: ConnectionPurpose;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits: DownloadLimits;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /**
   * Called once with the first 64 KB of the file, or all of a shorter one, before the rest is received, and with the
   * bytes that this call has fetched.
   * Throwing an AppError ends the download with it.
   */
  readonly checkHead?: (head: Uint8Array, bytesFetched: number) => Promise<void>;
};

export type DownloadResult = {
  /** Size of the complete file. */
  readonly bytes: number;
  /** Bytes received in this call. */
  readonly bytesFetched: number;
  readonly contentType: string | null;
  /** From Content-Disposition, else from the URL; without a folder. */
  readonly fileName: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly finalUrl: string;
};
