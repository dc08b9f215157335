import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { type Client, createClient } from '../contract/client.ts';
import type { App } from '../core/app.ts';
import { linkTo, newTranscriptionPlace, placeOfLink } from '../core/base/app-link.ts';
import { isExecutableSync } from '../core/base/child-process.ts';
import { type AppError, isAppError } from '../core/base/errors.ts';
import { TAKEN_RETRY_MS, TAKEN_TIMEOUT_MS } from '../core/base/server-file.ts';
import {
  checkEffect,
  findRunningServer,
  NOTE_AFTER_MS,
  type RunningServer,
  startService,
} from './connect.ts';
import { configOf, dataDirOf, type ServerOptions, UsageError, VERSION } from './environment.ts';
import { printMessage, printResult, style } from './terminal.ts';
import { pathOnDisk, uploadFile } from './upload.ts';

/** What the window shows first: resolved with a client once the service runs. */
type Place = (client: Client) => Promise<string>;

/**
 * What `earshot open` was given: a recording, by path or `file:` URL, which opens the form for a new transcription, or an
 * `earshot://` link. Throws `UsageError` before anything is started.
 */
const placeOf = async (given: string): Promise<Place> => {
  if (/^earshot:/i.test(given)) {
    const place = placeOfLink(given);
    if (place === undefined)
      throw new UsageError(
        `${given} leads nowhere. Such a link is earshot://library or earshot://transcript/ID.`,
      );
    return async () => place;
  }
  const path = /^file:/i.test(given) && URL.canParse(given) ? fileURLToPath(given) : given;
  try {
    await access(await pathOnDisk(path));
  } catch {
    throw new UsageError(`There is no file ${path}.`);
  }
  return async (client) =>
    newTranscriptionPlace(await uploadFile(client, path, 'recordings'), basename(path));
};

/** The window that shows a running service. */
type ShownWindow = {
  /** Resolves once the window is closed; undefined for one that cannot be followed. */
  readonly closed: Promise<void> | undefined;
  close(): void;
  /** Lets this process end before the window. */
  leave(): void;
};

type OpenWindow = (url: string, dataDir: string) => Promise<ShownWindow>;

/** A browser that exits sooner has failed, or has handed the address to one that runs already. */
const STARTED_AFTER_MS = 3000;

const LINUX_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const MAC_NAMES = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const WINDOWS_PATHS = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

/** Where browsers that can show a page as a window of its own may be, the preferred one first. */
const browserPlaces = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] => {
  const named = environment.EARSHOT_CHROMIUM ? [environment.EARSHOT_CHROMIUM] : [];
  if (platform === 'darwin') {
    const folders = ['/Applications', join(environment.HOME ?? '', 'Applications')];
    const places = MAC_NAMES.flatMap((name) =>
      folders.map((folder) => join(folder, `${name}.app`, 'Contents', 'MacOS', name)),
    );
    return [...named, ...places];
  }
  if (platform === 'win32') {
    const { ProgramFiles, LOCALAPPDATA } = environment;
    const folders = [ProgramFiles, environment['ProgramFiles(x86)'], LOCALAPPDATA].filter(
      (folder) => folder !== undefined,
    );
    return [...named, ...WINDOWS_PATHS.flatMap((path) => folders.map((folder) => join(folder, ...path)))];
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...named, ...LINUX_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))];
};

/** The browser's options for a window without its frame, with a profile of its own. */
const appWindowOptions = (url: string, dataDir: string): string[] => [
  `--app=${url}`,
  `--user-data-dir=${join(dataDir, 'window')}`,
  // Texts and recordings stay out of the profile, so that what is deleted leaves the disk.
  '--disk-cache-size=1',
  '--media-cache-size=1',
  '--no-first-run',
  '--no-default-browser-check',
  '--class=Earshot',
  // Chromium refuses to run its sandbox as root, which only containers do with a desktop program. The second option
  // takes the bar away in which it warns of the first.
  ...(process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox', '--test-type'] : []),
];

const hasScreen = (): boolean =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

const NOTHING: ShownWindow = { closed: undefined, close() {}, leave() {} };

/** Opens the default browser, which is not followed. */
const openInBrowser: OpenWindow = async (url) => {
  const command = { darwin: 'open', win32: 'explorer' }[String(process.platform)] ?? 'xdg-open';
  const child = spawn(command, [url], { stdio: 'ignore', detached: true });
  // Without a desktop nothing opens; the printed link remains.
  child.on('error', () => {});
  child.unref();
  return NOTHING;
};

/** Whether the browser is still there after its start, with the window of this address. */
const isStarted = async (child: ChildProcess): Promise<'running' | 'handed over' | 'failed'> => {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(child, 'exit', { signal }).then(
    ([code]): 'handed over' | 'failed' => (code === 0 ? 'handed over' : 'failed'),
    (): 'failed' => 'failed',
  );
  const timeout = new Promise<'running'>((resolve) => {
    setTimeout(() => resolve('running'), STARTED_AFTER_MS);
  });
  return Promise.race([ended, timeout]);
};

/** Chromium's mark in a profile that a running browser has: a link to no file, on Windows a file. */
const PROFILE_LOCK = process.platform === 'win32' ? 'lockfile' : 'SingletonLock';

/** Opens the page as a window of its own in Chromium, Chrome or Edge, and in the default browser if there is none. */
const openWindow: OpenWindow = async (url, dataDir) => {
  if (!hasScreen()) {
    printMessage('There is no screen here: open the link above in a browser.');
    return NOTHING;
  }
  const browser = browserPlaces(process.env, process.platform).find(isExecutableSync);
  if (browser === undefined) return openInBrowser(url, dataDir);
  const profile = join(dataDir, 'window');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  const isInUse = lstatSync(join(profile, PROFILE_LOCK), { throwIfNoEntry: false }) !== undefined;
  const child = spawn(browser, appWindowOptions(url, dataDir), { stdio: 'ignore', detached: true });
  const closed = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const started = await isStarted(child);
  if (started === 'failed') return openInBrowser(url, dataDir);
  // A browser that ends at once has given the address to the one that has its profile. If there is none, a person closed
  // the window.
  if (started === 'handed over' && isInUse) return NOTHING;
  return { closed, close: () => void child.kill(), leave: () => child.unref() };
};

type ServeOptions = ServerOptions & { json?: boolean; window?: OpenWindow; place?: Place };

const portOf = (text: string): number => {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UsageError(`--port ${text}: a number from 0 to 65535 is needed.`);
  return port;
};

/** Collects the values of an option that may be repeated. */
const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** Adds the options of every command that may start a service. */
export const withServerOptions = (command: Command): Command =>
  command
    .addOption(new Option('--data-dir <folder>', 'the data folder').env('EARSHOT_DATA_DIR'))
    .option('--allow-private-addresses', 'let URLs reach private and loopback addresses')
    .option('--model-alias <name=id>', 'the model behind nano, mini or pro, for this run', collect);

const banner = (app: App): string =>
  [
    '',
    `  ${style('bold', 'Earshot')} ${VERSION}`,
    '',
    `  Window   ${style('cyan', app.loginUrl())}`,
    `  API      ${app.url}/v1`,
    `  Data     ${app.dataDir}`,
    '',
    `  ${style('dim', 'Ctrl-C stops. A running transcription resumes at the next start.')}`,
    '',
  ].join('\n');

/** Resolves with the exit code once a signal, or `ended`, has stopped the service. */
const closeWhenDone = (
  app: Pick<App, 'close'>,
  ended: Promise<void> | undefined,
  isQuiet: boolean,
): Promise<number> =>
  new Promise((resolve) => {
    const stop = (code: number) => {
      if (!isQuiet) printMessage('Stopping…');
      app.close().then(
        () => resolve(code),
        () => resolve(1),
      );
    };
    process.once('SIGINT', () => stop(130));
    process.once('SIGTERM', () => stop(0));
    process.once('SIGHUP', () => stop(0));
    void ended?.then(() => stop(0));
  });

const printAddress = (
  address: { url: string; loginUrl: string; pid: number; dataDir: string; version: string },
  text: string,
  { json }: ServeOptions,
): Promise<void> => {
  const { url, loginUrl, pid, dataDir, version } = address;
  if (json === true)
    return printResult(`${JSON.stringify({ url, login_url: loginUrl, pid, data_dir: dataDir, version })}\n`);
  printMessage(text);
  return Promise.resolve();
};

/** Throws if the service that runs already answers at another place than was asked for. */
const checkPlace = ({ url, pid }: RunningServer, { port, host }: ServeOptions): void => {
  const isElsewhere = port !== undefined && port !== 0 && port !== Number(new URL(url).port);
  const isOtherHost = host !== undefined && host !== new URL(url).hostname;
  if (!isElsewhere && !isOtherHost) return;
  throw new UsageError(
    `Earshot runs on this data folder already, at ${url} as process ${pid}: --port and --host would have no effect. Stop it first.`,
  );
};

/** Shows the window of a service that runs already. */
const showRunning = async (server: RunningServer, options: ServeOptions): Promise<void> => {
  checkPlace(server, options);
  await checkEffect(server, options);
  const dataDir = dataDirOf(options);
  const { data } = await server.client.call('createLoginLink');
  const lines = [
    '',
    `  ${style('bold', 'Earshot')} ${server.version} is running already, as process ${server.pid}.`,
    '',
    `  Window   ${style('cyan', data.url)}`,
    `  API      ${server.url}/v1`,
    `  Data     ${dataDir}`,
    ...(server.temporary ? ['', `  ${style('dim', 'It ends with the command that started it.')}`] : []),
    '',
  ];
  await printAddress({ ...server, loginUrl: data.url, dataDir }, lines.join('\n'), options);
  if (options.window === undefined) return;
  const link = linkTo(data.url, await options.place?.(server.client));
  (await options.window(link, dataDir)).leave();
};

/** Shows the window of a library that does not open, until it is closed. */
const showDamaged = async (error: AppError, open: OpenWindow, options: ServeOptions): Promise<void> => {
  const { serveDamagedPage } = await import('../core/damaged-page.ts');
  const page = await serveDamagedPage(configOf(options, 'next'), error);
  printMessage(`${style('red', 'error')}  ${error.message}\n\n  Window   ${style('cyan', page.url)}\n`);
  const window = await open(page.url, dataDirOf(options));
  await closeWhenDone(page, window.closed, true);
  window.close();
  process.exitCode = 1;
};

/**
 * The service that this command runs, or the one that runs on the data folder already. Waits while that one starts or ends,
 * and, unless a window is to show it, while it is a command's and may soon end with it.
 */
const startOrFind = async (options: ServeOptions): Promise<{ app: App } | { running: RunningServer }> => {
  const began = performance.now();
  for (let isNoted = false; ; await delay(TAKEN_RETRY_MS)) {
    const waited = performance.now() - began;
    const mayWait = waited < TAKEN_TIMEOUT_MS;
    const running = await findRunningServer(dataDirOf(options));
    if (running === undefined) {
      const app = await startService(options, { mayWait });
      if (app !== undefined) return { app };
    } else if (!running.temporary || !mayWait || options.window !== undefined) {
      return { running };
    }
    if (isNoted || waited < NOTE_AFTER_MS) continue;
    printMessage(style('dim', 'Waiting for another command, which uses the data folder.'));
    isNoted = true;
  }
};

/** Runs the service until it is stopped, or shows the one that runs on the data folder already. */
const serve = async (options: ServeOptions): Promise<void> => {
  // Whatever the service writes, also outside the data folder, is this user's alone.
  const umask = process.umask(0o077);
  let found: Awaited<ReturnType<typeof startOrFind>>;
  try {
    found = await startOrFind(options);
  } catch (error) {
    if (options.window === undefined || !isAppError(error) || error.code !== 'library_damaged') throw error;
    await showDamaged(error, options.window, options);
    return;
  }
  if ('running' in found) {
    process.umask(umask);
    await showRunning(found.running, options);
    return;
  }
  const { app } = found;
  const { url, dataDir } = app;
  // Before the address is printed: its reader may stop the service at once, also while the window is opening.
  const windowClosed = Promise.withResolvers<void>();
  const done = closeWhenDone(app, windowClosed.promise, options.json === true);
  await printAddress(
    { url, loginUrl: app.loginUrl(), pid: process.pid, dataDir, version: VERSION },
    banner(app),
    options,
  );
  const place = await options.place?.(createClient({ baseUrl: url, key: app.localKey }));
  const window = await options.window?.(linkTo(app.loginUrl(), place), dataDir);
  void window?.closed?.then(windowClosed.resolve);
  process.exitCode = await done;
  window?.close();
};

const withListenOptions = (command: Command): Command =>
  withServerOptions(command)
    .option('--port <number>', 'port to listen on (0: a free one; default 3277)', portOf)
    .option('--host <address>', 'address to bind to (default 127.0.0.1)');

/** `earshot serve` and `earshot open`. */
export const addServe = (program: Command): void => {
  withListenOptions(program.command('serve'))
    .description('run the service: the /v1 API and the window')
    .option(
      '--json',
      'print {"url","login_url","pid","data_dir","version"} on stdout once it accepts requests',
    )
    .option('--open', 'open the window in the browser')
    .action(({ open, ...options }: ServeOptions & { open?: boolean }) =>
      serve(open === true ? { ...options, window: openInBrowser } : options),
    );
  withListenOptions(program.command('open'))
    .description('open the window, and run the service while it is open if none runs yet')
    .argument('[file or link]', 'a recording to transcribe, or an earshot:// link')
    .action(async (given: string | undefined, options: ServeOptions) => {
      const place = given === undefined ? undefined : await placeOf(given);
      await serve({ ...options, window: openWindow, place });
    });
};
