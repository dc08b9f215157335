export type Login = { readonly baseUrl: string; readonly token: string };

const URL_FLAG = '--earshot-url=';
const TOKEN_FLAG = '--earshot-token=';

/** Splits `http://127.0.0.1:3277/#token=…`. */
export const splitLoginUrl = (loginUrl: string): Login => {
  const url = new URL(loginUrl);
  return {
    baseUrl: url.origin,
    token: decodeURIComponent(/^#token=(.+)$/.exec(url.hash)?.[1] ?? ''),
  };
};

/** Passes the address and the one-time token to the preload script, which parses them from `process.argv`. */
export const preloadArguments = ({ baseUrl, token }: Login): string[] => [
  URL_FLAG + baseUrl,
  TOKEN_FLAG + token,
];
