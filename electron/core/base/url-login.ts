import { AppError } from './errors.ts';

const MIN_LENGTH = 20;

/** The owner's key for one run, from `EARSHOT_API_KEY`; undefined if that is not set. Throws for a key that can be guessed. */
export const runKeyOf = ({ EARSHOT_API_KEY: key }: NodeJS.ProcessEnv): string | undefined => {
  if (key === undefined || key === '') return undefined;
  if (key.length >= MIN_LENGTH && !/\s/.test(key)) return key;
  throw new AppError(
    'invalid_request',
    `EARSHOT_API_KEY needs at least ${MIN_LENGTH} characters and no spaces. Make one with: openssl rand -hex 24`,
  );
};

/** `https://user:password@host/` as the URL without its login, and the login (`user:password`, percent-encoded). */
export const splitLogin = (text: string): { url: string; login: string | null } => {
  if (!URL.canParse(text)) return { url: text, login: null };
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url: text, login: null };
  const login = `${url.username}:${url.password}`;
  url.username = '';
  url.password = '';
  return { url: url.href, login };
};

/** A URL without its login, to show and to store. */
export const withoutLogin = (text: string): string => splitLogin(text).url;

/** The URL to request; `login` as `splitLogin` returns it, null or empty for none. */
export const withLogin = (text: string, login: string | null): string => {
  if (login === null || login === '') return text;
  const url = new URL(text);
  const [user = ''] = login.split(':', 1);
  url.username = user;
  url.password = login.slice(user.length + 1);
  return url.href;
};
