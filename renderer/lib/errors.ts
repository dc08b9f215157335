import { ApiError } from '../../electron/contract/client.ts';
import type { Translate } from '../i18n/index.ts';

/** True for an answer that says the key is no longer good. */
export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** A sentence for a person: the server's own, or that it could not be reached. */
export const errorText = (error: unknown, t: Translate): string => {
  if (error instanceof ApiError) {
    const details = error.details.map((detail) => detail.message).join('; ');
    return details === '' ? error.message : `${error.message} ${details}`;
  }
  return error instanceof TypeError ? t('error.unreachable') : t('error.unexpected');
};
