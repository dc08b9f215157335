import { cancellationError } from '../../base/abort.ts';
import { AppError, isAppError, messageOf, systemCode } from '../../base/errors.ts';
import type { MinRate } from './types.ts';

/** A file's. A stall timeout alone lets a server that sends a byte now and then hold a job for ever. */
export const DOWNLOAD_MIN_RATE: MinRate = { bytesPerSecond: 1024, overSeconds: 60 };

export const timedOut = (host: string, stallSeconds: number): AppError =>
  new AppError('download_timeout', `${host} sent nothing for ${stallSeconds} seconds.`);

/** A body that arrives below its `minRate`. */
export class SlowBodyError extends Error {
  readonly minRate: MinRate;
  constructor(minRate: MinRate) {
    super('The body arrives too slowly.');
    this.minRate = minRate;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'broke the connection off',
  EPIPE: 'broke the connection off',
  UND_ERR_SOCKET: 'broke the connection off',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent another length than it announced',
  EHOSTUNREACH: 'cannot be reached from this network',
  ENETUNREACH: 'cannot be reached from this network',
  EADDRNOTAVAIL: 'cannot be reached from this network',
  ENOTFOUND: 'was not found',
  EAI_AGAIN: 'was not found: the name server does not answer',
  CERT_HAS_EXPIRED: 'has an expired certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that nobody vouches for',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that nobody vouches for',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that nobody vouches for',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host',
  UND_ERR_HEADERS_OVERFLOW: 'sent too many headers',
};

const reasonOf = (error: unknown): string => {
  const code = systemCode(error) ?? '';
  const known = REASONS[code];
  if (known !== undefined) return `${known} (${code})`;
  const isParserError =
    code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError');
  if (isParserError) return 'does not speak HTTP';
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return `does not speak TLS properly (${code})`;
  return `did not answer properly (${code || messageOf(error)})`;
};

/** Converts anything that a connection can throw into an AppError that says what the server did. */
export const explainNetworkError = (
  error: unknown,
  context: { readonly host: string; readonly stallSeconds: number; readonly signal?: AbortSignal },
): AppError => {
  if (isAppError(error)) return error;
  if (context.signal?.aborted) return cancellationError(context.signal);
  const code = systemCode(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return timedOut(context.host, context.stallSeconds);
  }
  if (error instanceof SlowBodyError) {
    const { bytesPerSecond, overSeconds } = error.minRate;
    return new AppError(
      'download_timeout',
      `${context.host} sent less than ${bytesPerSecond} bytes a second for ${overSeconds} seconds.`,
    );
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new AppError('download_timeout', `${context.host} did not accept a connection in time.`, {
      cause: error,
    });
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    return explainNetworkError(error.errors[0], context);
  }
  return new AppError('download_failed', `The server ${context.host} ${reasonOf(error)}.`, { cause: error });
};
