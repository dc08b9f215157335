export type ContentRange = { readonly first: number; readonly last: number; readonly total: number | null };

/** Parses `bytes 0-99/1234` (or `/*`); null for anything else. */
export const parseContentRange = (header: string | undefined): ContentRange | null => {
  const match = /^\s*bytes\s+(\d+)-(\d+)\/(\d+|\*)\s*$/i.exec(header ?? '');
  if (match === null) return null;
  const [first, last] = [Number(match[1]), Number(match[2])];
  const total = match[3] === '*' ? null : Number(match[3]);
  if (!Number.isSafeInteger(last) || last < first || (total !== null && total <= last)) return null;
  return { first, last, total };
};

/** The number in a Content-Length header, or null. */
export const parseLength = (header: string | undefined): number | null =>
  header !== undefined && /^\d{1,15}$/.test(header.trim()) ? Number(header) : null;
