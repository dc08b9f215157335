import { cleanName } from '../../../contract/names.ts';
import { AppError } from '../../base/errors.ts';

const invalid = (message: string) =>
  new AppError('invalid_request', `audio_url ${message}.`, { details: [{ path: 'audio_url', message }] });

/** Parses an http(s) URL; throws `invalid_request`, with the reason, for anything else. */
export const parseAudioUrl = (text: string): URL => {
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
    // A stray percent sign: keep the text as it is.
    return text;
  }
};

/** A transcript's name until a better one is known: the last part of the URL's path, else its host. */
export const nameFromAudioUrl = (url: URL): string => {
  const last = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .at(-1);
  return cleanName(decode(last ?? '')).trim() || url.hostname;
};
