import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { cancellationError, throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { StallTimer } from '../ffmpeg/stall-timer.ts';
import { openGuardedProxy } from '../net/guarded-proxy.ts';
import { timedOut } from '../net/network-errors.ts';
import type { HttpClient } from '../net/types.ts';
import { findProgram } from '../programs.ts';
import { explainYtDlp, type PageRecording, parsePageRecording } from './yt-dlp-output.ts';

export type PageLimits = {
  /** An empty folder of the job: yt-dlp works there. */
  readonly folder: string;
  readonly url: string;
  readonly maxBytes: number;
  readonly stallSeconds: number;
  readonly signal: AbortSignal;
  /** Bytes that came in so far. */
  readonly onBytes?: (bytes: number) => void;
};

/** Finds the recordings in web pages, by the yt-dlp of this machine. */
export type PageReader = {
  /** Where yt-dlp is, or undefined. Looked for each time: it may be installed meanwhile. */
  program(): Promise<string | undefined>;
  /** What a page holds. Throws `not_media`, and as `HttpClient.open` does. */
  inspect(program: string, limits: PageLimits): Promise<{ recording: PageRecording; bytes: number }>;
  /** Has yt-dlp fetch a recording that is sent in parts, into a file of the folder. */
  fetch(
    program: string,
    limits: PageLimits & { readonly recording: PageRecording; readonly file: string },
  ): Promise<{ bytes: number }>;
};

const MAX_OUTPUT = 64 * 1024 * 1024;
const MAX_STDERR = 64 * 1024;
const INFO_FILE = 'page.info.json';
const PLAIN = '[protocol^=http][protocol!*=dash]';
/** One plain file before one in parts, sound alone before sound with a picture. */
const FORMAT = [`ba${PLAIN}`, `b${PLAIN}`, `ba*${PLAIN}`, 'ba', 'b', 'ba*'].join('/');

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
  // It fetches parts by itself, and hands no address to an ffmpeg of its own.
  ...['--downloader', 'native'],
  ...['--ffmpeg-location', join(folder, 'none')],
];

/** The environment of yt-dlp: the proxy, and nothing of ours. */
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

/** Ends a process and all that it started. */
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
    // The whole group is gone already.
  }
};

type Run = { readonly program: string; readonly args: readonly string[]; readonly limits: PageLimits };

/** Runs yt-dlp to its end with the guarded way out, and gives what it printed and the bytes that came in. */
const run = async (client: HttpClient, environment: NodeJS.ProcessEnv, { program, args, limits }: Run) => {
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
  const onAbort = () => stop(cancellationError(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const env = environmentFor(environment, proxy.url, folder);
    stall.resume();
    const { code, stdout, stderr } = await outcomeOf(program, args, env, folder, controller.signal);
    throwIfAborted(controller.signal);
    // What the guard refused is the reason, whatever yt-dlp made of it.
    if (code !== 0) throw proxy.failure() ?? explainYtDlp(stderr);
    return { stdout, bytes: proxy.bytes() };
  } finally {
    stall.pause();
    signal.removeEventListener('abort', onAbort);
    await proxy.close();
  }
};

/** Resolves when the process is gone; a fired signal kills it. */
const outcomeOf = (
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
      // A process group of its own: what it starts ends with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const onAbort = () => killTree(child);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) killTree(child);
      else chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    child.once('error', (cause) => {
      signal.removeEventListener('abort', onAbort);
      reject(new AppError('download_failed', 'yt-dlp could not be started.', { cause }));
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      resolve({ code, stdout: Buffer.concat(chunks).toString('utf8'), stderr });
    });
  });

const parsed = (stdout: string): PageRecording => {
  try {
    return parsePageRecording(stdout);
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError('download_failed', 'yt-dlp gave an answer that is not its own.', { cause: error });
  }
};

/**
 * Reads pages with yt-dlp: `EARSHOT_YTDLP` names it, else it is looked for on the PATH; an empty name means none.
 * All that it sends and gets goes through the guarded proxy.
 */
export const createPageReader = (client: HttpClient, environment: NodeJS.ProcessEnv): PageReader => ({
  program: async () => {
    const { EARSHOT_YTDLP: name = 'yt-dlp' } = environment;
    if (name === '' || isAbsolute(name)) return name === '' ? undefined : name;
    return findProgram(name, { environment, platform: process.platform });
  },
  inspect: async (program, limits) => {
    const args = [...optionsFor(limits), '--dump-single-json', '--', limits.url];
    const { stdout, bytes } = await run(client, environment, { program, args, limits });
    return { recording: parsed(stdout), bytes };
  },
  fetch: async (program, limits) => {
    const info = join(limits.folder, INFO_FILE);
    await writeFile(info, limits.recording.info, { mode: 0o600 });
    try {
      const args = [
        ...optionsFor(limits),
        ...['--load-info-json', INFO_FILE, '--output', limits.file, '--force-overwrites'],
      ];
      const { bytes } = await run(client, environment, { program, args, limits });
      return { bytes };
    } finally {
      await rm(info, { force: true });
    }
  },
});
