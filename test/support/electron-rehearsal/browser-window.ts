import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { findTestBrowser, launchTestBrowser } from '../browser.ts';
import { note, strict } from './strict.ts';

type Options = {
  readonly width: number;
  readonly height: number;
  readonly webPreferences: {
    readonly preload: string;
    readonly sandbox: boolean;
    readonly contextIsolation: boolean;
    readonly nodeIntegration: boolean;
  };
};

type OpenHandler = (details: { readonly url: string }) => { readonly action: 'deny' | 'allow' };

let browser: Promise<Browser> | undefined;
const windows = new Set<RehearsalWindow>();
let allClosed = () => {};

/** What a page asks over `ipcRenderer.send`. */
type Request = {
  readonly frame: { readonly url: string; readonly parent: object | null };
  readonly channel: string;
  readonly args: readonly unknown[];
};
export const requests = new EventEmitter<{ request: [Request] }>();

/** The preload script in the page, with what Electron gives it. */
const preloadScript = (path: string): string => `((process, require, module) => {
${readFileSync(path, 'utf8')}
})(
  { argv: [] },
  (name) => {
    if (name !== 'electron') throw new Error('A sandboxed preload script cannot load ' + name);
    const listeners = (window.rehearsalListeners ??= []);
    return {
      contextBridge: { exposeInMainWorld: (name, value) => { window[name] = value; } },
      ipcRenderer: {
        send: (channel, ...args) => void window.rehearsalSend(channel, args),
        on: (channel, listener) => listeners.push({ channel, listener }),
        off: (_channel, listener) =>
          listeners.splice(0, Infinity, ...listeners.filter((each) => each.listener !== listener)),
      },
    };
  },
  { exports: {} },
);`;

const started = (): Promise<Browser> => {
  browser ??= launchTestBrowser([], findTestBrowser());
  return browser;
};

/** A window of Electron over a page of a real Chromium. */
class RehearsalWindow extends EventEmitter {
  static getAllWindows = (): RehearsalWindow[] => [...windows];
  static onAllClosed = (listener: () => void): void => {
    allClosed = listener;
  };

  #page: Promise<Page>;
  readonly #options: Options;
  readonly #bounds: { x: number; y: number; width: number; height: number };
  readonly #contents = new EventEmitter();
  readonly webContents: object;
  #openHandler: OpenHandler = () => ({ action: 'deny' });
  #isDestroyed = false;
  #url = '';

  constructor(options: Options) {
    super();
    const { sandbox, contextIsolation, nodeIntegration } = options.webPreferences;
    if (!sandbox || !contextIsolation || nodeIntegration)
      throw new Error('The page is not isolated from Node.');
    this.#options = options;
    this.#bounds = { x: 0, y: 0, width: options.width, height: options.height };
    note('window-created', { ...this.#bounds });
    this.webContents = strict('webContents', {
      on: (event: string, listener: (...args: unknown[]) => void) => this.#contents.on(event, listener),
      getURL: () => this.#url,
      send: (channel: string, message: unknown) => void this.#send(channel, message),
      setWindowOpenHandler: (handler: OpenHandler) => {
        this.#openHandler = handler;
      },
    });
    windows.add(this);
    this.#page = this.#newPage();
  }

  async #newPage(): Promise<Page> {
    const { width, height, webPreferences } = this.#options;
    const page = await (await started()).newPage({ viewport: { width, height } });
    await page.exposeBinding('rehearsalSend', ({ frame }, channel: string, args: unknown[]) => {
      requests.emit('request', { frame: { url: frame.url(), parent: frame.parentFrame() }, channel, args });
    });
    await page.addInitScript(preloadScript(webPreferences.preload));
    page.on('pageerror', (error) => note('page-error', { message: error.message }));
    page.on('popup', (popup) => {
      this.#openHandler({ url: popup.url() });
      void popup.close();
    });
    return page;
  }

  async #send(channel: string, message: unknown): Promise<void> {
    const call = `for (const each of window.rehearsalListeners ?? [])
      if (each.channel === ${JSON.stringify(channel)}) each.listener({}, ${JSON.stringify(message)});`;
    await (await this.#page).evaluate(call);
  }

  /** Presses a button of the page. */
  press = async (name: string): Promise<void> => {
    await (await this.#page).getByRole('button', { name, exact: true }).first().click();
  };
  /** Runs code in the page and notes its result. */
  evaluate = async (code: string): Promise<void> => {
    note('evaluated', { value: await (await this.#page).evaluate(code) });
  };
  /** What Electron tells of a click with the second button. */
  contextMenu = (params: object): void => void this.#contents.emit('context-menu', {}, params);
  /** Takes the page away, as a crash of its process does. */
  crash = async (): Promise<void> => {
    const lost = await this.#page;
    this.#page = this.#newPage();
    await lost.close();
    this.#contents.emit('render-process-gone', {}, { reason: 'crashed' });
  };

  loadURL = async (url: string): Promise<void> => {
    note('load', { place: url.startsWith('data:') ? 'a page of the program' : new URL(url).hash });
    const page = await this.#page;
    this.#url = url;
    await page.goto(url);
    const heading = page.locator('main :is(h1, h2)').first();
    await heading.waitFor({ state: 'attached' });
    const handed = await page.evaluate('Object.keys(window.earshot ?? {}).sort()');
    note('window', { place: new URL(page.url()).hash, heading: await heading.textContent(), handed });
  };
  show = () => note('window-shown');
  close = () => {
    this.emit('close', { preventDefault: () => {} });
    this.#isDestroyed = true;
    windows.delete(this);
    this.emit('closed');
    if (windows.size === 0) allClosed();
  };
  maximize = () => {};
  restore = () => {};
  focus = () => note('window-focused');
  isFocused = () => false;
  setProgressBar = (share: number) => note('progress-bar', { share });
  isMaximized = () => false;
  isMinimized = () => false;
  isDestroyed = () => this.#isDestroyed;
  getNormalBounds = () => this.#bounds;
}

/** `new BrowserWindow(…)`, which fails on what the rehearsal does not have. */
export const BrowserWindow = new Proxy(RehearsalWindow, {
  construct: (Window, [options]: [Options]) => strict('BrowserWindow', new Window(options)),
});

export const closeBrowser = async (): Promise<void> => {
  await (await browser)?.close();
};
