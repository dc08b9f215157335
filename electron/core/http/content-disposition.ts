/** Percent-encodes as RFC 8187 wants it: `encodeURIComponent`, and further `'()*`. */
const encodeExtended = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The value of `Content-Disposition` (RFC 6266, RFC 8187): a plain ASCII name for old clients, and the
 * real one in UTF-8. Control characters and path separators never reach the header.
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
