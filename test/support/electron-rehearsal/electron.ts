import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { BrowserWindow, closeBrowser, requests } from './browser-window.ts';
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
  relaunch = () => note('relaunch');
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
// Electron quits on these, unless the program has taken them over.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) instance.quit();
  });
BrowserWindow.onAllClosed(() => instance.emit('window-all-closed'));

export { BrowserWindow };

/** What a person answers to the next questions. */
const answers: number[] = [];
export const dialog = strict('dialog', {
  showErrorBox: (title: string, content: string) => note('error-box', { title, content }),
  showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
  showMessageBox: async (question: object) => {
    note('message-box', { ...question });
    return { response: answers.shift() ?? 0 };
  },
});

type Item = {
  readonly label?: string;
  readonly role?: string;
  readonly type?: string;
  readonly checked?: boolean;
  readonly click?: (item: { readonly checked: boolean }) => void;
  readonly submenu?: readonly Item[];
};
const labelled = (items: readonly Item[], label: string): Item | undefined => {
  for (const item of items) {
    const found = item.label === label ? item : labelled(item.submenu ?? [], label);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Chooses an entry as a person does; a checkbox is turned first. */
const choose = (items: readonly Item[], label: string): void => {
  const item = labelled(items, label);
  if (item?.role === 'quit') instance.quit();
  else if (item?.click === undefined) throw new Error(`There is no entry "${label}" in the menu.`);
  else item.click({ checked: item.checked !== true });
};

type BuiltMenu = { readonly items: readonly Item[]; readonly popup: () => void };
let applicationMenu: readonly Item[] = [];
let contextMenu: readonly Item[] = [];
export const Menu = strict('Menu', {
  buildFromTemplate: (items: readonly Item[]): BuiltMenu =>
    strict('menu', {
      items,
      popup: () => {
        contextMenu = items;
        note('context-menu', { labels: items.map(({ label }) => label) });
      },
    }),
  setApplicationMenu: ({ items }: BuiltMenu) => {
    applicationMenu = items;
    note('menu', { labels: items.map(({ label }) => label) });
  },
});

let trayMenu: readonly Item[] = [];
class RehearsalTray extends EventEmitter {
  constructor(image: { readonly path: string }) {
    super();
    if (!existsSync(image.path)) throw new Error(`There is no icon ${image.path}.`);
  }
  setToolTip = (text: string) => note('tray', { text });
  setContextMenu = ({ items }: BuiltMenu) => {
    trayMenu = items;
  };
}
/** `new Tray(…)`, which fails on what the rehearsal does not have. */
export const Tray = new Proxy(RehearsalTray, {
  construct: (Class, [image]: [{ readonly path: string }]) => strict('Tray', new Class(image)),
});

export const nativeImage = strict('nativeImage', {
  createFromPath: (path: string) => strict('image', { path, resize: () => strict('image', { path }) }),
});

const notifications: RehearsalNotification[] = [];
class RehearsalNotification extends EventEmitter {
  readonly #options: { readonly title: string; readonly body: string };
  constructor(options: { readonly title: string; readonly body: string }) {
    super();
    this.#options = options;
  }
  show = () => {
    notifications.push(this);
    note('notification', this.#options);
  };
}
export const Notification = new Proxy(RehearsalNotification, {
  construct: (Class, [options]: [{ readonly title: string; readonly body: string }]) =>
    strict('Notification', new Class(options)),
});

export const powerSaveBlocker = strict('powerSaveBlocker', {
  start: (type: string) => {
    note('power-save-blocker', { type });
    return 1;
  },
  stop: () => note('power-save-blocker', { type: 'none' }),
});

export const powerMonitor = strict('powerMonitor', {
  on: (event: string) => note('power-monitor', { on: event }),
});

type IpcListener = (event: { readonly senderFrame: object }, ...args: unknown[]) => void;
export const ipcMain = strict('ipcMain', {
  on: (channel: string, listener: IpcListener) =>
    void requests.on('request', (request) => {
      if (request.channel === channel) listener({ senderFrame: request.frame }, ...request.args);
    }),
});

/** A key store whose key is this rehearsal's: each byte, turned. */
const turned = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x5a));
export const safeStorage = strict('safeStorage', {
  isAsyncEncryptionAvailable: async () => true,
  getSelectedStorageBackend: () => 'gnome_libsecret',
  encryptStringAsync: async (text: string) => turned(Buffer.from(text)),
  decryptStringAsync: async (bytes: Buffer) => ({ result: turned(bytes).toString() }),
});

export const screen = strict('screen', {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1600, height: 1000 } }],
});

export const session = strict('session', {
  defaultSession: strict('session.defaultSession', {
    setPermissionRequestHandler: () => note('permission-request-handler'),
    setPermissionCheckHandler: () => note('permission-check-handler'),
    setSpellCheckerEnabled: (isEnabled: boolean) => note('spell-checker', { isEnabled }),
  }),
});

export const shell = strict('shell', {
  openExternal: async (url: string) => note('open-external', { url }),
  openPath: async (path: string) => note('open-path', { path }),
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

const window = () => {
  const [first] = BrowserWindow.getAllWindows();
  if (first === undefined) throw new Error('There is no window.');
  return first;
};

const Deed = z
  .strictObject({
    menu: z.string(),
    tray: z.string(),
    contextMenu: z.string(),
    clickAt: z.looseObject({}),
    press: z.string(),
    evaluate: z.string(),
    answer: z.int(),
    clickNotification: z.literal(true),
    crashWindow: z.literal(true),
    crashService: z.literal(true),
    closeWindow: z.literal(true),
    secondStart: z.array(z.string()),
  })
  .partial();

/** What a person or the system does, a line of stdin each: `{"menu":"Show Logs"}`. */
const perform = async (line: string): Promise<void> => {
  const deed = Deed.parse(JSON.parse(line));
  if (deed.menu !== undefined) choose(applicationMenu, deed.menu);
  if (deed.tray !== undefined) choose(trayMenu, deed.tray);
  if (deed.contextMenu !== undefined) choose(contextMenu, deed.contextMenu);
  if (deed.clickAt !== undefined) window().contextMenu(deed.clickAt);
  if (deed.press !== undefined) await window().press(deed.press);
  if (deed.evaluate !== undefined) await window().evaluate(deed.evaluate);
  if (deed.answer !== undefined) answers.push(deed.answer);
  if (deed.clickNotification) notifications.shift()?.emit('click');
  if (deed.crashWindow) await window().crash();
  if (deed.crashService)
    setImmediate(() => {
      throw new Error('rehearsed');
    });
  if (deed.closeWindow) window().close();
  if (deed.secondStart !== undefined)
    instance.emit('second-instance', {}, ['earshot', ...deed.secondStart], process.cwd());
};

createInterface({ input: process.stdin }).on('line', (line) => {
  perform(line).catch((error: unknown) => note('deed-error', { line, message: String(error) }));
});
