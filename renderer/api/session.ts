import { ApiError, type Client, createClient } from '../../electron/contract/client.ts';

export type SignedUrl = { readonly url: string; readonly expiresAt: number };

/** Moves a URL to the origin of this window, the only one that the Content-Security-Policy allows. */
export const toSameOrigin = (address: string, baseUrl: string): string => {
  const { pathname, search } = new URL(address, baseUrl);
  return `${baseUrl}${pathname}${search}`;
};

/** Fetches a signed URL, which an audio element can play without an Authorization header. */
export const fetchAudioUrl = async (client: Client, baseUrl: string, id: string): Promise<SignedUrl> => {
  const { data } = await client.call('transcriptAudioUrl', { params: { id } });
  return { url: toSameOrigin(data.url, baseUrl), expiresAt: Date.parse(data.expires_at) };
};

const STORAGE_KEY = 'earshot.session';
/** In the local storage, so that a further tab of this browser opens: half of a secret, whose other half is a cookie. */
const BROWSER_KEY = 'earshot.browser';
const COMMAND_KEY = 'earshot.openCommand';
const PLACE_KEY = 'earshot.place';

type SessionOptions<T> = {
  readonly baseUrl: string;
  /** One-time token from `#token=…`. */
  readonly token: string | undefined;
  /** Asks the desktop program for a one-time token; absent in a browser. */
  readonly newToken?: (() => Promise<string | undefined>) | undefined;
  /** Session storage, so that a reload keeps the key and a closed tab forgets it. */
  readonly storage: Storage;
  /** Local storage, which all tabs share. */
  readonly shared: Storage;
  /** Starts the session with its key; rejects with `ApiError` 401 if the server does not accept the key. */
  readonly start: (key: string) => Promise<T>;
};

/** The one-time token of `#token=…`, if any. */
export const tokenFromHash = (hash: string): string | undefined => {
  const match = /^#token=([^&]+)/.exec(hash);
  return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
};

/** The place in the window that a link leads to (`#token=…&to=%2Fqueue`), as a hash; else where the last session ended. */
export const placeFromHash = (hash: string, shared: Storage): string => {
  const place = /^#token=[^&]+&to=(%2F[^&]*)$/.exec(hash)?.[1];
  const left = shared.getItem(PLACE_KEY);
  shared.removeItem(PLACE_KEY);
  return place === undefined ? (left ?? '#/') : `#${decodeURIComponent(place)}`;
};

/** Notes where one is, for the link that opens the next session. */
export const rememberPlace = (hash: string, shared: Storage): void => {
  if (/^#\/./.test(hash)) shared.setItem(PLACE_KEY, hash);
};

/** The command that opens the window again, as the server said while there was a session. */
export const openCommand = (shared: Storage): string | undefined => shared.getItem(COMMAND_KEY) ?? undefined;
export const rememberOpenCommand = (command: string, shared: Storage): void =>
  shared.setItem(COMMAND_KEY, command);

/** Resolves to the answer of a request, or to undefined if the server does not accept its key. */
const unlessRejected = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
};

type Storages = Pick<SessionOptions<unknown>, 'baseUrl' | 'storage' | 'shared'>;

/** Stores the key that the server gives for a one-time token. */
const exchange = async (token: string, { baseUrl, storage, shared }: Storages): Promise<void> => {
  try {
    const { data } = await createClient({ baseUrl }).call('createSession', { body: { token } });
    storage.setItem(STORAGE_KEY, data.key);
    shared.setItem(BROWSER_KEY, data.browser);
  } catch (error) {
    // A used or expired token does not matter while the stored key is accepted.
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  }
};

/** Stores a key of this tab's own if another tab of this browser has had a session. */
const resume = async ({ baseUrl, storage, shared }: Storages): Promise<void> => {
  const browser = shared.getItem(BROWSER_KEY);
  if (browser === null) return;
  const client = createClient({ baseUrl });
  const answer = await unlessRejected(client.call('resumeSession', { body: { browser } }));
  if (answer === undefined) shared.removeItem(BROWSER_KEY);
  else storage.setItem(STORAGE_KEY, answer.data.key);
};

/**
 * Starts this tab's session: with a new key in exchange for the one-time token, else with the stored key, else with that of a
 * browser which has a session, else, in the desktop program's window, with a token that the program gives. Resolves to undefined if there is none, or the server no
 * longer accepts the key. Rejects if the server is unreachable.
 */
export const openSession = async <T>({
  baseUrl,
  token,
  newToken,
  storage,
  shared,
  start,
}: SessionOptions<T>): Promise<T | undefined> => {
  const startWithKey = async (): Promise<T | undefined> => {
    const key = storage.getItem(STORAGE_KEY);
    const started = key === null ? undefined : await unlessRejected(start(key));
    if (started === undefined) storage.removeItem(STORAGE_KEY);
    return started;
  };
  const storages = { baseUrl, storage, shared };
  if (token !== undefined) await exchange(token, storages);
  const started = await startWithKey();
  if (started !== undefined) return started;
  const renewed = await newToken?.();
  if (renewed === undefined) await resume(storages);
  else await exchange(renewed, storages);
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
