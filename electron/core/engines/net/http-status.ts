import { STATUS_CODES } from 'node:http';
import { AppError } from '../../base/errors.ts';
import type { OpenedResponse } from './types.ts';

const HINTS: Readonly<Record<number, string>> = {
  401: ' The address needs a login, or a link that carries one.',
  403: ' The address may need a login, or the link may have expired.',
  404: ' There is no file at this address.',
  410: ' The file was removed.',
  429: ' Too many requests were made; try again later.',
};

/** Statuses of a server that is busy or restarting. */
export const isTransientStatus = (status: number): boolean => [408, 425, 429, 502, 503, 504].includes(status);

/** Explains a response other than the file, as `download_failed`. */
export const explainStatus = (response: Pick<OpenedResponse, 'status' | 'url'>): AppError => {
  const { status } = response;
  const name = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const hint = HINTS[status] ?? (status >= 500 ? ' That is a fault of the server; try again later.' : '');
  return new AppError(
    'download_failed',
    `The server ${new URL(response.url).host} answered ${status}${name}.${hint}`,
  );
};
