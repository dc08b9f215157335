import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
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
const cleanTitle = (text: string): string =>
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
const titleOf = (head: Uint8Array): string | null => {
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

/** A chapter of a recording; seconds. */
export type PageChapter = { readonly title: string; readonly start: number; readonly end: number };

/** A recording in a web page, as yt-dlp describes it. */
export type PageRecording = {
  readonly title: string | null;
  /** The yt-dlp extractor that found it: `Youtube`, `Generic`, … */
  readonly site: string | null;
  readonly chapters: readonly PageChapter[];
  /** Recordings on the page; the first is used. */
  readonly count: number;
  /** File extension without the dot. */
  readonly extension: string;
  /** A single file that any client can download; null for segmented media, which yt-dlp must download. */
  readonly file: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | null;
  /** The description for yt-dlp's `--load-info-json`. */
  readonly info: string;
};

const text = z.string().nullish().catch(null);

const Entry = z.looseObject({
  title: text,
  extractor_key: text,
  is_live: z.boolean().nullish().catch(null),
  ext: text,
  url: text,
  protocol: text,
  http_headers: z.record(z.string(), z.string()).nullish().catch(null),
  chapters: z
    .array(z.object({ title: z.string(), start_time: z.number(), end_time: z.number() }))
    .nullish()
    .catch(null),
});

const Output = z.union([
  z.object({
    _type: z.enum(['playlist', 'multi_video']),
    entries: z.array(Entry.nullable()),
    playlist_count: z.number().nullish().catch(null),
  }),
  Entry,
]);

/** Headers of yt-dlp's request that we send, too. Cookies are left out. */
const FORWARDED_HEADERS = new Set(['user-agent', 'accept', 'accept-language', 'referer', 'origin']);
const PLAIN_PROTOCOLS = new Set(['http', 'https']);
/** Segmented media that yt-dlp downloads itself, over http. */
const SEGMENTED_PROTOCOLS = new Set(['m3u8', 'm3u8_native', 'http_dash_segments']);
const MAX_CHAPTERS = 1000;

const nothingFound = (): AppError => new AppError('not_media', 'yt-dlp found no recording in it.');

const fileOf = (entry: z.output<typeof Entry>): PageRecording['file'] => {
  const protocol = entry.protocol ?? '';
  if (SEGMENTED_PROTOCOLS.has(protocol)) return null;
  const { url } = entry;
  if (!PLAIN_PROTOCOLS.has(protocol) || typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
    throw new AppError('not_media', 'The recording in it is sent in a way that Earshot does not take.');
  }
  const headers = Object.entries(entry.http_headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  return { url, headers: Object.fromEntries(headers.filter(([name]) => FORWARDED_HEADERS.has(name))) };
};

/** Parses the output of `yt-dlp --dump-single-json`. Throws `not_media` if it holds no usable recording. */
export const parsePageRecording = (json: string): PageRecording => {
  const output = Output.parse(JSON.parse(json));
  const list = 'entries' in output && Array.isArray(output.entries) ? output.entries : [output];
  const parsed = Entry.nullish().safeParse(list[0]);
  if (!parsed.success || parsed.data == null) throw nothingFound();
  const entry = parsed.data;
  if (entry.is_live === true) {
    throw new AppError('not_media', 'The recording in it is a live broadcast that has not ended.');
  }
  const title = cleanTitle(entry.title ?? '');
  const counted = 'playlist_count' in output ? Number(output.playlist_count ?? 1) : 1;
  return {
    title: title === '' ? null : title,
    site: entry.extractor_key ?? null,
    chapters: (entry.chapters ?? [])
      .slice(0, MAX_CHAPTERS)
      .map(({ title: name, start_time, end_time }) => ({
        title: cleanTitle(name),
        start: start_time,
        end: end_time,
      }))
      .filter(({ title: name, start, end }) => name !== '' && start >= 0 && end > start),
    count: Math.max(1, counted),
    extension: /^\w{1,5}$/.test(entry.ext ?? '') ? (entry.ext ?? '') : 'bin',
    file: fileOf(entry),
    info: JSON.stringify(entry),
  };
};

/** Explains a failure of yt-dlp by its standard error. */
export const explainYtDlp = (stderr: string): AppError => {
  const lines = stripVTControlCharacters(stderr).split('\n');
  const line = lines.findLast((each) => each.startsWith('ERROR:'))?.slice('ERROR:'.length) ?? '';
  if (/Unsupported URL|No video formats|Requested format is not available/i.test(line)) return nothingFound();
  const reason = cleanTitle(
    line
      .replace(/;? *please report this issue.*/is, '')
      .replace(/\(caused by .*/is, '')
      .replace(/https?:\/\/\S+/g, 'the address'),
  );
  return new AppError(
    'download_failed',
    reason === '' ? 'yt-dlp ended without an answer.' : `yt-dlp could not get the recording: ${reason}`,
  );
};
