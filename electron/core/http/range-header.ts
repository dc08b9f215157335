/** A range of bytes; `end` is exclusive. */
export type ByteRange = { readonly start: number; readonly end: number };

/** With more ranges than this the header is ignored, which prevents amplification. */
const MAX_RANGES = 32;

const parsePart = (text: string, size: number): ByteRange | 'invalid' | 'outside' => {
  const match = /^[ \t]*(\d*)-(\d*)[ \t]*$/.exec(text);
  const first = match?.[1] ?? '';
  const last = match?.[2] ?? '';
  if (match === null || (first === '' && last === '')) return 'invalid';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'invalid';
  if (start >= size) return 'outside';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
};

/** Overlapping ranges make a server send the same bytes many times (CVE-2011-3192). */
const overlaps = (ranges: readonly ByteRange[]): boolean => {
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  return sorted.some((range, index) => range.start < (sorted[index - 1]?.end ?? 0));
};

/**
 * Parses a `Range` header (RFC 9110, 14.2) for a file of `size` bytes. Returns undefined where the header is to be
 * ignored (another unit, malformed, unreasonable), and `[]` where no range lies within the file.
 */
export const parseRangeHeader = (
  header: string | undefined,
  size: number,
): readonly ByteRange[] | undefined => {
  const match = /^bytes=(.+)$/i.exec(header ?? '');
  if (match?.[1] === undefined) return undefined;
  const parts = match[1].split(',');
  if (parts.length > MAX_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  for (const part of parts) {
    if (part.trim() === '') continue;
    const range = parsePart(part, size);
    if (range === 'invalid') return undefined;
    if (range !== 'outside') ranges.push(range);
  }
  return overlaps(ranges) ? undefined : ranges;
};
