import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { cancellationError, onAbort, throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { describeNonMedia, readBytes } from '../ffmpeg/content-kind.ts';
import { StallTimer } from '../ffmpeg/stall-timer.ts';
import type { MediaInput } from '../ffmpeg/types.ts';
import { openGuardedProxy } from '../net/guarded-proxy.ts';
import { timedOut } from '../net/network-errors.ts';
import type { HttpClient } from '../net/types.ts';
import { findProgram } from '../programs.ts';

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
type PageChapter = { readonly title: string; readonly start: number; readonly end: number };

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

export type PageLimits = {
  /** An empty folder of the job, yt-dlp's working directory. */
  readonly folder: string;
  readonly url: string;
  readonly maxBytes: number;
  readonly stallSeconds: number;
  readonly signal: AbortSignal;
  /** Called with the bytes received so far. */
  readonly onBytes?: (bytes: number) => void;
};

/** Finds and downloads recordings in web pages with the installed yt-dlp. */
export type PageReader = {
  /** The path of yt-dlp, or undefined. Looks for it each time, because it may be installed meanwhile. */
  program(): Promise<string | undefined>;
  /** Describes the recording in a page. Throws `not_media`, and as `HttpClient.open` does. */
  inspect(program: string, limits: PageLimits): Promise<{ recording: PageRecording; bytes: number }>;
  /** Downloads a segmented recording into a file of the folder. */
  fetch(
    program: string,
    limits: PageLimits & { readonly recording: PageRecording; readonly file: string },
  ): Promise<{ bytes: number }>;
};

const MAX_STDOUT_BYTES = 64 * 1024 * 1024;
const MAX_STDERR_CHARACTERS = 64 * 1024;
const INFO_FILE = 'page.info.json';
const PLAIN_HTTP = '[protocol^=http][protocol!*=dash]';
/** Prefers a single file to segments, and audio alone to video. */
const FORMAT = [`ba${PLAIN_HTTP}`, `b${PLAIN_HTTP}`, `ba*${PLAIN_HTTP}`, 'ba', 'b', 'ba*'].join('/');

const optionsFor = ({ folder, stallSeconds }: PageLimits): string[] => [
  '--ignore-config',
  '--no-update',
  '--no-cache-dir',
  '--no-cookies',
  '--no-cookies-from-browser',
  '--no-mark-watched',
  '--no-progress',
  '--no-playlist',
  ...['--playlist-items', '1'],
  ...['--format', FORMAT],
  ...['--socket-timeout', String(stallSeconds)],
  ...['--retries', '3'],
  ...['--fixup', 'never'],
  // yt-dlp downloads segments itself and starts no ffmpeg, which would bypass the proxy.
  ...['--downloader', 'native'],
  ...['--ffmpeg-location', join(folder, 'none')],
];

/** The environment of yt-dlp: the proxy, and no variables of ours. */
const environmentFor = (environment: NodeJS.ProcessEnv, proxy: string, folder: string) => ({
  ...Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'SystemRoot', 'USERPROFILE', 'APPDATA']
      .map((name): [string, string | undefined] => [name, environment[name]])
      .filter(([, value]) => value !== undefined),
  ),
  PYTHONIOENCODING: 'utf-8',
  YTDLP_NO_PLUGINS: '1',
  TMPDIR: folder,
  TEMP: folder,
  TMP: folder,
  http_proxy: proxy,
  https_proxy: proxy,
  no_proxy: '',
});

/** Kills a process and its descendants. */
const killTree = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () =>
      child.kill('SIGKILL'),
    );
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // ESRCH: the process group has already ended.
  }
};

type Run = { readonly program: string; readonly args: readonly string[]; readonly limits: PageLimits };

/** Runs yt-dlp behind the guarded proxy. Returns its output and the bytes received. */
const runYtDlp = async (
  client: HttpClient,
  environment: NodeJS.ProcessEnv,
  { program, args, limits }: Run,
) => {
  const { signal, stallSeconds, folder } = limits;
  throwIfAborted(signal);
  const controller = new AbortController();
  const stop = (reason: AppError) => controller.abort(reason);
  const stall = new StallTimer(stallSeconds, () => stop(timedOut(new URL(limits.url).host, stallSeconds)));
  const proxy = await openGuardedProxy({
    client,
    purpose: 'page',
    maxBytes: limits.maxBytes,
    stallSeconds,
    signal,
    onBytes: () => {
      stall.touch();
      limits.onBytes?.(proxy.bytes());
    },
    onExceeded: stop,
  });
  const unlisten = onAbort(signal, () => stop(cancellationError(signal)));
  try {
    const env = environmentFor(environment, proxy.url, folder);
    stall.resume();
    const { code, stdout, stderr } = await runProcess(program, args, env, folder, controller.signal);
    throwIfAborted(controller.signal);
    // A connection that the guard rejected is the cause of whatever yt-dlp reports.
    if (code !== 0) throw proxy.failure() ?? explainYtDlp(stderr);
    return { stdout, bytes: proxy.bytes() };
  } finally {
    stall.pause();
    unlisten();
    await proxy.close();
  }
};

/** Resolves when the process has ended; an aborted signal kills it. */
const runProcess = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  signal: AbortSignal,
): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that killTree can end its descendants.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    if (signal.aborted) killTree(child);
    const unlisten = onAbort(signal, () => killTree(child));
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_STDOUT_BYTES) killTree(child);
      else chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS);
    });
    child.once('error', (cause) => {
      unlisten();
      reject(new AppError('download_failed', 'yt-dlp could not be started.', { cause }));
    });
    child.once('close', (code) => {
      unlisten();
      resolve({ code, stdout: Buffer.concat(chunks).toString('utf8'), stderr });
    });
  });

const parseOutput = (stdout: string): PageRecording => {
  try {
    return parsePageRecording(stdout);
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError('download_failed', 'yt-dlp gave an answer that is not its own.', { cause: error });
  }
};

/**
 * Reads pages with yt-dlp: the program that `EARSHOT_YTDLP` names, else the one on the PATH; an empty name means none. All
 * of its connections go through a guarded proxy.
 */
export const createPageReader = (client: HttpClient, environment: NodeJS.ProcessEnv): PageReader => ({
  program: async () => {
    const { EARSHOT_YTDLP: name = 'yt-dlp' } = environment;
    if (name === '' || isAbsolute(name)) return name === '' ? undefined : name;
    return findProgram(name, { environment, platform: process.platform });
  },
  inspect: async (program, limits) => {
    const args = [...optionsFor(limits), '--dump-single-json', '--', limits.url];
    const { stdout, bytes } = await runYtDlp(client, environment, { program, args, limits });
    return { recording: parseOutput(stdout), bytes };
  },
  fetch: async (program, limits) => {
    const info = join(limits.folder, INFO_FILE);
    await writeFile(info, limits.recording.info, { mode: 0o600 });
    try {
      const args = [
        ...optionsFor(limits),
        ...['--load-info-json', INFO_FILE, '--output', limits.file, '--force-overwrites'],
      ];
      const { bytes } = await runYtDlp(client, environment, { program, args, limits });
      return { bytes };
    } finally {
      await rm(info, { force: true });
    }
  },
});
