import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BrowserWindow, closeBrowser } from './browser-window.ts';
import { note, strict } from './strict.ts';

const program = process.env.EARSHOT_REHEARSAL_PROGRAM ?? '';
const { version }: { version: string } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8'));

class App extends EventEmitter {
  readonly isPackaged = true;
  #isQuitting = false;
  getAppPath = () => program;
  getVersion = () => version;
  getPath = (name: string): string => {
    const folder = join(process.env.EARSHOT_DATA_DIR ?? '', `electron-${name}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  getPreferredSystemLanguages = () => ['en-US'];
  requestSingleInstanceLock = () => true;
  whenReady = async () => {};
  exit = (code = 0) => {
    note('exit', { code });
    void closeBrowser().finally(() => process.exit(code));
  };
  /** As Electron: asks `before-quit`, closes the windows, asks nobody again. */
  quit = () => {
    let isPrevented = false;
    this.emit('before-quit', {
      preventDefault: () => {
        isPrevented = true;
      },
    });
    if (isPrevented || this.#isQuitting) return;
    this.#isQuitting = true;
    for (const window of BrowserWindow.getAllWindows()) window.emit('close', { preventDefault: () => {} });
    this.exit(0);
  };
}

const instance = new App();
export const app = strict('app', instance);
// Electron quits on these.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => instance.quit());
BrowserWindow.onAllClosed(() => instance.emit('window-all-closed'));

export { BrowserWindow };

export const dialog = strict('dialog', {
  showErrorBox: (title: string, content: string) => note('error-box', { title, content }),
  showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
});

type Item = { readonly label?: string; readonly click?: () => void; readonly submenu?: readonly Item[] };
const labelled = (items: readonly Item[], label: string): Item | undefined => {
  for (const item of items) {
    const found = item.label === label ? item : labelled(item.submenu ?? [], label);
    if (found !== undefined) return found;
  }
  return undefined;
};

let applicationMenu: readonly Item[] = [];
export const Menu = strict('Menu', {
  buildFromTemplate: (template: readonly Item[]) => template,
  setApplicationMenu: (menu: readonly Item[]) => {
    applicationMenu = menu;
    note('menu', { labels: menu.map(({ label }) => label) });
  },
});

export const screen = strict('screen', {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1600, height: 1000 } }],
});

export const session = strict('session', {
  defaultSession: strict('session.defaultSession', {
    setPermissionRequestHandler: () => note('permission-request-handler'),
    setPermissionCheckHandler: () => note('permission-check-handler'),
  }),
});

export const shell = strict('shell', {
  openExternal: async (url: string) => note('open-external', { url }),
});

type ForkOptions = { readonly stdio: ['ignore', 'ignore', 'pipe']; readonly env: NodeJS.ProcessEnv };

export const utilityProcess = strict('utilityProcess', {
  fork: (entry: string, args: string[], { env }: ForkOptions) => {
    note('utility-process', { entry: entry.slice(program.length + 1) });
    const child = fork(entry, args, {
      env,
      serialization: 'advanced',
      execArgv: ['--import', join(import.meta.dirname, 'parent-port.mjs')],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    return strict('UtilityProcess', {
      pid: child.pid,
      stderr: child.stderr,
      postMessage: (message: object) => {
        if (child.connected) child.send(message, () => {});
      },
      on: (event: string, listener: (...args: unknown[]) => void) => child.on(event, listener),
      once: (event: string, listener: (...args: unknown[]) => void) => child.once(event, listener),
      kill: () => child.kill(),
    });
  },
});

// What a person does: a line with the label of a menu's entry chooses it.
createInterface({ input: process.stdin }).on('line', (label) => {
  const item = labelled(applicationMenu, label);
  if (item?.click === undefined) throw new Error(`There is no entry "${label}" in the menu.`);
  item.click();
});
