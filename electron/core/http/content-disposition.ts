/** Percent-encodes for RFC 8187: as `encodeURIComponent`, and `'()*` as well. */
const encodeExtended = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The value of `Content-Disposition` (RFC 6266): an ASCII file name for old clients, and where it differs the full one
 * in UTF-8 (RFC 8187). Control characters are removed, path separators replaced.
 */
export const contentDisposition = (type: 'inline' | 'attachment', name: string): string => {
  const clean = name
    .replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '')
    .replaceAll(/[/\\]/g, '-');
  const ascii = clean
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]/gu, '_');
  const fallback = ascii.replaceAll(/["%]/g, '_');
  const plain = `${type}; filename="${fallback}"`;
  return fallback === clean ? plain : `${plain}; filename*=UTF-8''${encodeExtended(clean)}`;
};
