export type Login = { readonly baseUrl: string; readonly token: string };

const URL_FLAG = '--earshot-url=';
const TOKEN_FLAG = '--earshot-token=';

/** `http://127.0.0.1:3277/#token=…` → its two parts. */
export const splitLoginUrl = (loginUrl: string): Login => {
  const url = new URL(loginUrl);
  return {
    baseUrl: url.origin,
    token: decodeURIComponent(/^#token=(.+)$/.exec(url.hash)?.[1] ?? ''),
  };
};

/** How the address and the one-time token reach the preload script. */
export const preloadArguments = ({ baseUrl, token }: Login): string[] => [
  URL_FLAG + baseUrl,
  TOKEN_FLAG + token,
];

/** The page of the window that asks what to do with a stored file. */
export const createHash = (key: string, name: string): string =>
  `/new?${new URLSearchParams({ stored: key, name })}`;
