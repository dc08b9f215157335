import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { cancellationError, onAbort, throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { StallTimer } from '../ffmpeg/stall-timer.ts';
import { openGuardedProxy } from '../net/guarded-proxy.ts';
import { timedOut } from '../net/network-errors.ts';
import type { HttpClient } from '../net/types.ts';
import { findProgram } from '../programs.ts';
import { explainYtDlp, type PageRecording, parsePageRecording } from './yt-dlp-output.ts';

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
