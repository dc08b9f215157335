import { AppError } from '../../base/errors.ts';

const invalid = (message: string) =>
  new AppError('invalid_request', `audio_url ${message}.`, { details: [{ path: 'audio_url', message }] });

/** Whether a text is an http(s) URL that can be fetched; throws `invalid_request` with the reason when not. */
export const checkHttpUrl = (text: string): URL => {
  if (!URL.canParse(text)) throw invalid('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(
      `has the scheme ${url.protocol.slice(0, -1)}; only http, https and storage:{key} are allowed`,
    );
  }
  return url;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the name is shown as it was given.
    return text;
  }
};

/** The file name in a URL's path, else its host. */
export const nameFromUrl = (url: URL): string => {
  const last = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .at(-1);
  return last === undefined ? url.hostname : decode(last);
};
