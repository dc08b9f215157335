import { describeNonMedia, readBytes } from '../ffmpeg/content-kind.ts';
import type { MediaInput } from '../ffmpeg/types.ts';

/** A web page at a URL where a recording was expected. */
export type WebPage = {
  /** The text of its `<title>`, or null. */
  readonly title: string | null;
};

/** Bytes by which the type of a file is detected. */
const TYPE_BYTES = 4100;
/** Bytes to search for the title. */
const HEAD_BYTES = 64 * 1024;
const MAX_TITLE = 200;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
};

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,10}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

/** A title for display: no control characters, single spaces, at most 200 characters. */
export const cleanTitle = (text: string): string =>
  Array.from(
    text
      .replace(/\p{Cc}|\p{Cs}|\p{Cf}/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
    .slice(0, MAX_TITLE)
    .join('');

const decodeHtml = (head: Uint8Array): string => {
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(Buffer.from(head).toString('latin1'))?.[1];
  try {
    return new TextDecoder(declared ?? 'utf-8').decode(head);
  } catch {
    // The page declares an unknown charset.
    return new TextDecoder().decode(head);
  }
};

/** The title of a page, from its first bytes. */
export const titleOf = (head: Uint8Array): string | null => {
  const inside = /<title[^>]*>([^<]*)<\/title/i.exec(decodeHtml(head))?.[1];
  const title = inside === undefined ? '' : cleanTitle(decodeEntities(inside));
  return title === '' ? null : title;
};

/** The web page that starts with these bytes; undefined if they start something else. */
export const webPageIn = async (head: Uint8Array): Promise<WebPage | undefined> =>
  (await describeNonMedia(head.subarray(0, TYPE_BYTES))) === 'a web page'
    ? { title: titleOf(head) }
    : undefined;

/** The web page that a recording's input is in fact; undefined for anything else, of which the first bytes alone are read. */
export const readWebPage = async (input: MediaInput, signal: AbortSignal): Promise<WebPage | undefined> => {
  const page = await webPageIn(await readBytes(input, 0, TYPE_BYTES, signal));
  return page && webPageIn(await readBytes(input, 0, HEAD_BYTES, signal));
};
