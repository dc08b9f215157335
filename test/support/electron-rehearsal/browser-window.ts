import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { note, strict } from './strict.ts';

type Options = {
  readonly width: number;
  readonly height: number;
  readonly webPreferences: {
    readonly preload: string;
    readonly sandbox: boolean;
    readonly contextIsolation: boolean;
    readonly nodeIntegration: boolean;
    readonly additionalArguments: readonly string[];
  };
};

type OpenHandler = (details: { readonly url: string }) => { readonly action: 'deny' | 'allow' };

let browser: Promise<Browser> | undefined;
const windows = new Set<RehearsalWindow>();
let allClosed = () => {};

/** The preload script in the page, with the two things that Electron gives it. */
const preloadScript = (path: string, args: readonly string[]): string => `((process, require, module) => {
${readFileSync(path, 'utf8')}
})(
  { argv: ${JSON.stringify(args)} },
  (name) => {
    if (name !== 'electron') throw new Error('A sandboxed preload script cannot load ' + name);
    return { contextBridge: { exposeInMainWorld: (name, value) => { window[name] = value; } } };
  },
  { exports: {} },
);`;

/** A window of Electron over a page of a real Chromium. */
class RehearsalWindow extends EventEmitter {
  static getAllWindows = (): RehearsalWindow[] => [...windows];
  static onAllClosed = (listener: () => void): void => {
    allClosed = listener;
  };

  readonly #page: Promise<Page>;
  readonly #bounds: { x: number; y: number; width: number; height: number };
  readonly #contents = new EventEmitter();
  readonly webContents: object;
  #isDestroyed = false;

  constructor({ width, height, webPreferences }: Options) {
    super();
    const { preload, sandbox, contextIsolation, nodeIntegration, additionalArguments } = webPreferences;
    if (!sandbox || !contextIsolation || nodeIntegration)
      throw new Error('The page is not isolated from Node.');
    this.#bounds = { x: 0, y: 0, width, height };
    let openHandler: OpenHandler = () => ({ action: 'deny' });
    this.webContents = strict('webContents', {
      on: (event: string, listener: (...args: unknown[]) => void) => this.#contents.on(event, listener),
      setWindowOpenHandler: (handler: OpenHandler) => {
        openHandler = handler;
      },
    });
    windows.add(this);
    browser ??= chromium.launch({
      executablePath: process.env.EARSHOT_CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    this.#page = browser.then(async (started) => {
      const page = await started.newPage({ viewport: { width, height } });
      await page.addInitScript(preloadScript(preload, additionalArguments));
      page.on('pageerror', (error) => note('page-error', { message: error.message }));
      page.on('popup', (popup) => {
        openHandler({ url: popup.url() });
        void popup.close();
      });
      return page;
    });
  }

  loadURL = async (url: string): Promise<void> => {
    const page = await this.#page;
    await page.goto(url);
    const heading = page.locator('main :is(h1, h2)').first();
    await heading.waitFor({ state: 'attached' });
    const handed = await page.evaluate('Object.keys(window.earshot ?? {}).sort()');
    this.emit('ready-to-show');
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
