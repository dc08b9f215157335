import { ApiError, createClient } from '../../electron/contract/client.ts';

const STORAGE_KEY = 'earshot.session';

type SessionOptions<T> = {
  readonly baseUrl: string;
  /** One-time token from `#token=…`. */
  readonly token: string | undefined;
  /** Asks the desktop program for a one-time token; absent in a browser. */
  readonly newToken?: (() => Promise<string | undefined>) | undefined;
  /** Session storage, so that a reload keeps the key and a closed tab forgets it. */
  readonly storage: Storage;
  /** Starts the session with its key; rejects with `ApiError` 401 if the server does not accept the key. */
  readonly start: (key: string) => Promise<T>;
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

/** Resolves to the answer of a request, or to undefined if the server does not accept its key. */
const unlessRejected = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
};

/** Stores the key that the server gives for a one-time token. */
const exchange = async (baseUrl: string, token: string, storage: Storage): Promise<void> => {
  try {
    const { data } = await createClient({ baseUrl }).call('createSession', { body: { token } });
    storage.setItem(STORAGE_KEY, data.key);
  } catch (error) {
    // A used or expired token does not matter while the stored key is accepted.
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  }
};

/**
 * Starts this tab's session: with a new key in exchange for the one-time token, else with the stored key, else, in the
 * desktop program's window, with a token that the program gives. Resolves to undefined if there is none, or the server no
 * longer accepts the key. Rejects if the server is unreachable.
 */
export const openSession = async <T>({
  baseUrl,
  token,
  newToken,
  storage,
  start,
}: SessionOptions<T>): Promise<T | undefined> => {
  const startWithKey = async (): Promise<T | undefined> => {
    const key = storage.getItem(STORAGE_KEY);
    const started = key === null ? undefined : await unlessRejected(start(key));
    if (started === undefined) storage.removeItem(STORAGE_KEY);
    return started;
  };
  if (token !== undefined) await exchange(baseUrl, token, storage);
  const started = await startWithKey();
  const renewed = started === undefined ? await newToken?.() : undefined;
  if (renewed === undefined) return started;
  await exchange(baseUrl, renewed, storage);
  return startWithKey();
};

/** Starts the session with a pasted API key. False if the server rejects it. */
export const signInWithKey = async (baseUrl: string, key: string, storage: Storage): Promise<boolean> => {
  const client = createClient({ baseUrl, key });
  const answer = await unlessRejected(client.call('recentTranscripts', { query: { limit: 1 } }));
  if (answer === undefined) return false;
  storage.setItem(STORAGE_KEY, key);
  return true;
};

export const forgetSession = (storage: Storage): void => storage.removeItem(STORAGE_KEY);
