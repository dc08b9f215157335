import { ApiError, createClient } from '../../electron/contract/client.ts';

const STORAGE_KEY = 'earshot.session';

type SessionOptions = {
  readonly baseUrl: string;
  /** One-time token from `#token=…` or from the desktop app's preload script. */
  readonly token: string | undefined;
  /** Session storage, so that a reload keeps the key and a closed tab forgets it. */
  readonly storage: Storage;
};

/** The one-time token of `#token=…`, if any. */
export const tokenFromHash = (hash: string): string | undefined => {
  const match = /^#token=([^&]+)/.exec(hash);
  return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
};

/** The place in the window that a link leads to (`#token=…&to=%2Fqueue`), as a hash. */
export const placeFromHash = (hash: string): string => {
  const place = decodeURIComponent(/^#token=[^&]+&to=(%2F[^&]*)$/.exec(hash)?.[1] ?? '%2F');
  return `#${place}`;
};

const isKeyAccepted = async (baseUrl: string, key: string): Promise<boolean> => {
  try {
    await createClient({ baseUrl, key }).call('recentTranscripts', { query: { limit: 1 } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
};

/**
 * Returns the key of this tab's session: a new one in exchange for the one-time token, else the stored one if the
 * server still accepts it, else undefined. Rejects if the server is unreachable.
 */
export const openSession = async ({
  baseUrl,
  token,
  storage,
}: SessionOptions): Promise<string | undefined> => {
  if (token !== undefined) {
    try {
      const { data } = await createClient({ baseUrl }).call('createSession', { body: { token } });
      storage.setItem(STORAGE_KEY, data.key);
      return data.key;
    } catch (error) {
      // A used or expired token does not matter while the stored key is accepted.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
    }
  }
  const stored = storage.getItem(STORAGE_KEY);
  if (stored !== null && (await isKeyAccepted(baseUrl, stored))) return stored;
  storage.removeItem(STORAGE_KEY);
  return undefined;
};

/** Starts the session with a pasted API key. False if the server rejects it. */
export const signInWithKey = async (baseUrl: string, key: string, storage: Storage): Promise<boolean> => {
  if (!(await isKeyAccepted(baseUrl, key))) return false;
  storage.setItem(STORAGE_KEY, key);
  return true;
};

export const forgetSession = (storage: Storage): void => storage.removeItem(STORAGE_KEY);
