import { ApiError, createClient } from '../../electron/contract/client.ts';

const STORED_KEY = 'earshot.session';

export type SessionKey = { readonly state: 'ready'; readonly key: string } | { readonly state: 'none' };

export type SessionParts = {
  readonly baseUrl: string;
  /** The address bar's `#token=…`, or what the desktop program handed over. */
  readonly token: string | undefined;
  readonly store: Storage;
  readonly fetch?: typeof globalThis.fetch;
};

/** The one-time token of `#token=…`; undefined when the address carries none. */
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
 * Finds the key that this window works with: the kept one while the server knows it, else the one-time token
 * turned into a session key. The key lives in this tab alone, so that a reload goes on and a closed tab forgets.
 * Rejects when the server cannot be reached.
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
      // A used or old token is no failure while the key of an earlier visit still holds.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
    }
  }
  const kept = store.getItem(STORED_KEY);
  if (kept !== null && (await isKeyAccepted(baseUrl, kept, parts.fetch)))
    return { state: 'ready', key: kept };
  store.removeItem(STORED_KEY);
  return { state: 'none' };
};

/** Takes an API key that a person pasted. True when the server accepts it. */
export const signInWithKey = async (baseUrl: string, key: string, store: Storage): Promise<boolean> => {
  if (!(await isKeyAccepted(baseUrl, key))) return false;
  store.setItem(STORED_KEY, key);
  return true;
};

export const forgetSession = (store: Storage): void => store.removeItem(STORED_KEY);
