import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { cleanTitle } from './web-page.ts';

/** The part of a recording with a title of its own; seconds. */
export type PageChapter = { readonly title: string; readonly start: number; readonly end: number };

/** A recording that a page holds, as yt-dlp describes it. */
export type PageRecording = {
  readonly title: string | null;
  /** Which of yt-dlp's extractors found it: `Youtube`, `Generic`, … */
  readonly site: string | null;
  readonly chapters: readonly PageChapter[];
  /** Recordings on the page; the first is taken. */
  readonly count: number;
  /** The file's ending, for its name. */
  readonly extension: string;
  /** One file that any client can fetch, or null where yt-dlp must put it together from parts. */
  readonly file: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | null;
  /** The description as yt-dlp reads it in again. */
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

/** What a server may see of the request that yt-dlp would have made. Cookies are not among it. */
const HEADERS = new Set(['user-agent', 'accept', 'accept-language', 'referer', 'origin']);
const PLAIN = new Set(['http', 'https']);
/** Made of parts that yt-dlp fetches by itself, over http. */
const IN_PARTS = new Set(['m3u8', 'm3u8_native', 'http_dash_segments']);
const MAX_CHAPTERS = 1000;

const nothingFound = (): AppError => new AppError('not_media', 'yt-dlp found no recording in it.');

const fileOf = (entry: z.output<typeof Entry>): PageRecording['file'] => {
  const protocol = entry.protocol ?? '';
  if (IN_PARTS.has(protocol)) return null;
  const { url } = entry;
  if (!PLAIN.has(protocol) || typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
    throw new AppError('not_media', 'The recording in it is sent in a way that Earshot does not take.');
  }
  const headers = Object.entries(entry.http_headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  return { url, headers: Object.fromEntries(headers.filter(([name]) => HEADERS.has(name))) };
};

/** Reads what `yt-dlp --dump-single-json` printed. Throws `not_media` where there is no recording to take. */
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

/** What yt-dlp died of, from its standard error. */
export const explainYtDlp = (stderr: string): AppError => {
  const lines = stripVTControlCharacters(stderr).split('\n');
  const line = lines.findLast((each) => each.startsWith('ERROR:'))?.slice('ERROR:'.length) ?? '';
  if (/Unsupported URL|No video formats|Requested format is not available/i.test(line)) return nothingFound();
  const said = cleanTitle(
    line
      .replace(/;? *please report this issue.*/is, '')
      .replace(/\(caused by .*/is, '')
      .replace(/https?:\/\/\S+/g, 'the address'),
  );
  return new AppError(
    'download_failed',
    said === '' ? 'yt-dlp ended without an answer.' : `yt-dlp could not get the recording: ${said}`,
  );
};
