import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isExecutableSync } from '../core/base/executable.ts';
import { printMessage } from './terminal.ts';

/** The window that shows a running service. */
export type ShownWindow = {
  /** Resolves once the window is closed; undefined for one that cannot be followed. */
  readonly closed: Promise<void> | undefined;
  close(): void;
  /** Lets this process end before the window. */
  leave(): void;
};

export type OpenWindow = (url: string, dataDir: string) => Promise<ShownWindow>;

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
export const browserPlaces = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] => {
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
export const appWindowOptions = (url: string, dataDir: string): string[] => [
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
export const openInBrowser: OpenWindow = async (url) => {
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

/** Opens the page as a window of its own in Chromium, Chrome or Edge, and in the default browser where there is none. */
export const openWindow: OpenWindow = async (url, dataDir) => {
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
