import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** What the user allows the network code to do; read anew at every request. */
export type NetworkPolicy = {
  readonly allowPrivateAddresses: boolean;
  readonly offline: boolean;
  /**
   * An origin that the owner named as the source of models. It may be private, for the purpose `model` alone;
   * where it redirects to another origin, that one is checked like the first.
   */
  readonly modelOrigin?: string | null;
};

/** What a connection is for: shown to the owner in the list of outbound connections. */
export type ConnectionPurpose = 'audio' | 'model' | 'webhook' | 'llm' | 'page';

/** One request that left this machine, or that was refused before it could. */
export type ConnectionRecord = {
  readonly host: string;
  /** The address connected to; null where no connection came about. */
  readonly address: string | null;
  readonly purpose: ConnectionPurpose;
  /** Bytes of body received. */
  readonly bytes: number;
  readonly error: string | null;
};

export type ResolvedAddress = { readonly address: string; readonly family: number };

/** Every address of a host name. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

export type HttpClientOptions = {
  readonly policy: () => NetworkPolicy;
  /** The product's version, for `User-Agent: Earshot/<version>`. */
  readonly version: string;
  readonly onConnection?: (record: ConnectionRecord) => void;
  /** Where a proxy for the downloads of models may be named; default: nowhere. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
};

export type OpenOptions = {
  readonly url: string;
  readonly purpose: ConnectionPurpose;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Seconds without any progress before it ends as `download_timeout`; default: that of the setting `network.stallSeconds`. */
  readonly stallSeconds?: number;
  /** Redirects followed, each checked like the first address; default 5. */
  readonly maxRedirects?: number;
};

/** An open answer. The body must be read to its end or destroyed. */
export type OpenedResponse = {
  readonly status: number;
  /** Lower-case names; several values are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the redirects ended; without a login that the address carried. */
  readonly url: string;
  readonly redirected: boolean;
  /** Errors of this stream are AppErrors already. */
  readonly body: Readable;
};

export type TunnelOptions = {
  readonly host: string;
  readonly port: number;
  readonly purpose: ConnectionPurpose;
  readonly signal?: AbortSignal;
};

/** The one way out of this program: address rule, offline switch and log apply to all that goes through it. */
export type HttpClient = {
  /**
   * Sends a request and follows redirects. Any status is an answer, not an error.
   * Throws AppError `offline`, `address_not_allowed`, `download_failed`, `download_timeout`, `cancelled`.
   */
  open(options: OpenOptions): Promise<OpenedResponse>;
  /**
   * A bare connection, for what must speak TLS end to end by itself. Address rule, offline switch and log apply
   * as ever. Throws as `open` does.
   */
  tunnel(options: TunnelOptions): Promise<Socket>;
  close(): Promise<void>;
};

export type DownloadLimits = {
  /** Bytes; larger is `download_too_large`. */
  readonly maxBytes: number;
  /** Seconds without progress; default: that of the setting `network.stallSeconds`. */
  readonly stallSeconds?: number;
  /** Connections tried without any new byte in between; default 5. */
  readonly maxTries?: number;
  /** First wait between tries in milliseconds, doubled each time; default 500. */
  readonly retryDelay?: number;
};

export type DownloadProgress = { readonly bytes: number; readonly total: number | null };

export type DownloadOptions = {
  readonly url: string;
  /**
   * The partial file. Beside it, `<destination>.resume.json` keeps what a later call needs to go on,
   * also in another process. It is there before the first byte and goes when the file is whole: a file
   * without it is whole.
   */
  readonly destination: string;
  readonly purpose: ConnectionPurpose;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits: DownloadLimits;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
};

export type DownloadResult = {
  /** Size of the whole file. */
  readonly bytes: number;
  /** Bytes that came over the network in this call. */
  readonly bytesFetched: number;
  readonly contentType: string | null;
  /** From Content-Disposition, else from the URL; any script, without a folder. */
  readonly fileName: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly finalUrl: string;
};
