import { decodeExtended, parse } from 'content-disposition';
import { cleanName } from '../../../contract/names.ts';

const MAX_LENGTH = 200;

/** Removes folders, control characters and leading dots, and truncates to 200 characters. Can return ''. */
export const cleanFileName = (name: string): string =>
  Array.from(
    cleanName(name.replace(/^.*[/\\]/s, ''))
      .trim()
      .replace(/^\.+/, ''),
  )
    .slice(0, MAX_LENGTH)
    .join('');

const decodePercent = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    // Malformed escape: the caller falls back to the undecoded text.
    return null;
  }
};

/** Servers send UTF-8 bytes in `filename=`, which HTTP parsers read as Latin-1. */
const repairLatin1 = (text: string): string => {
  const bytes = Buffer.from(text, 'latin1');
  const utf8 = bytes.toString('utf8');
  return [...text].every((char) => char.charCodeAt(0) < 256) && !utf8.includes('\uFFFD') ? utf8 : text;
};

/** The file name in a Content-Disposition header (RFC 6266), or null. */
export const nameFromDisposition = (header: string): string | null => {
  // `filename*` is decoded here, so that `filename` remains for a value that cannot be decoded or leaves no name.
  const { parameters } = parse(header, { extended: false });
  const { filename, 'filename*': extended } = parameters;
  const decoded = extended === undefined ? undefined : decodeExtended(extended);
  if (decoded !== undefined && cleanFileName(decoded) !== '') return cleanFileName(decoded);
  return filename === undefined ? null : cleanFileName(repairLatin1(filename)) || null;
};

/** The last part of a URL's path, decoded; the host if the path is empty. */
export const nameFromUrl = (url: string): string => {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').filter(Boolean).at(-1) ?? '';
  return cleanFileName(decodePercent(last) ?? last) || hostname;
};

/** The display name of a downloaded file: from Content-Disposition, else from the URL. */
export const downloadFileName = (
  headers: Readonly<Record<string, string>>,
  requestedUrl: string,
  finalUrl: string,
): string => {
  const disposition = headers['content-disposition'];
  const named = disposition === undefined ? null : nameFromDisposition(disposition);
  if (named !== null) return named;
  const requested = nameFromUrl(requestedUrl);
  return /\.[a-z0-9]{2,5}$/i.test(requested) ? requested : nameFromUrl(finalUrl);
};
