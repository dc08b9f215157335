import { ApiError, createClient } from '../../electron/contract/client.ts';

const STORED_KEY = 'earshot.session';

export type SessionKey = { readonly state: 'ready'; readonly key: string } | { readonly state: 'none' };

export type SessionParts = {
  readonly baseUrl: string;
  /** One-time token from `#token=…` or from the desktop app's preload script. */
  readonly token: string | undefined;
  readonly store: Storage;
  readonly fetch?: typeof globalThis.fetch;
};

/** The one-time token of `#token=…`, if any. */
export const tokenFromHash = (hash: string): string | undefined => {
  const match = /^#token=([^&]+)/.exec(hash);
  return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
};

const isKeyAccepted = async (
  baseUrl: string,
  key: string,
  fetch?: typeof globalThis.fetch,
): Promise<boolean> => {
  try {
    await createClient({ baseUrl, key, ...(fetch === undefined ? {} : { fetch }) }).call(
      'recentTranscripts',
      {
        query: { limit: 1 },
      },
    );
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
export const openSession = async (parts: SessionParts): Promise<SessionKey> => {
  const { baseUrl, store, token } = parts;
  if (token !== undefined) {
    try {
      const client = createClient({ baseUrl, ...(parts.fetch === undefined ? {} : { fetch: parts.fetch }) });
      const { data } = await client.call('createSession', { body: { token } });
      store.setItem(STORED_KEY, data.key);
      return { state: 'ready', key: data.key };
    } catch (error) {
      // A used or expired token does not matter while the stored key is accepted.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
    }
  }
  const kept = store.getItem(STORED_KEY);
  if (kept !== null && (await isKeyAccepted(baseUrl, kept, parts.fetch)))
    return { state: 'ready', key: kept };
  store.removeItem(STORED_KEY);
  return { state: 'none' };
};

/** Starts the session with a pasted API key. False if the server rejects it. */
export const signInWithKey = async (baseUrl: string, key: string, store: Storage): Promise<boolean> => {
  if (!(await isKeyAccepted(baseUrl, key))) return false;
  store.setItem(STORED_KEY, key);
  return true;
};

export const forgetSession = (store: Storage): void => store.removeItem(STORED_KEY);
