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
