import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import {
  type BrowserContext,
  type Browser as Chromium,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { describeOnFailure } from './after-failure.ts';
import { PAGE_TIMEOUT_MS, parkPage, takePage } from './parked-pages.ts';
import type { TestServer } from './server.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];
/**
 * Off in the browser of the tests, not of the benchmarks. A window of a new context would load the address bar's popups, two
 * pages of Chromium's own with 400 scripts, and a process would be started to spare. Chromium takes the last
 * `--disable-features` alone, so what Playwright turns off is named again (its chromiumSwitches.ts).
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];
const CHROMIUM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
/**
 * Debian's Chromium without windows and services of its own, as Playwright uses it without a screen. The same pages take a
 * quarter less processor time in it. It forgets what it granted an origin, e.g. a microphone, when a page is reloaded.
 */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Options of the New dialog that turn every analysis off, for the fastest result. */
export const TEXT_ALONE = {
  diarize: false,
  entities: false,
  topics: false,
  summary: false,
  safety: false,
  redact: false,
} as const;

export type WindowOptions = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  readonly reducedMotion?: 'reduce' | 'no-preference';
  /** Default true; false opens the page without a key. */
  readonly signedIn?: boolean;
  /** The route that it opens; default the library. */
  readonly at?: string;
  /** Preferences as the window stores them, the options of the New dialog among them. */
  readonly prefs?: Readonly<Record<string, unknown>>;
  /** In a browser context that no other window had or gets: for a test that adds what stays in it, such as a clock. */
  readonly own?: boolean;
};

export type TestWindow = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors thrown in the page or logged to its console. */
  readonly errors: string[];
  /** URLs of requests to anything but the server. */
  readonly foreign: string[];
  /** Opens a route of the window and waits until its content is loaded. */
  go(hash: string): Promise<void>;
  /** Waits until no placeholder of loading content is left, and the fonts of what is shown have come. */
  settle(): Promise<void>;
  /** A toast with this text. Screen readers get the text a second time, out of sight. */
  toast(text: string): Locator;
  /** Waits until a toast with this text has come, also when it has gone again since. */
  toasted(text: string | RegExp, options?: { readonly timeout: number }): Promise<void>;
  /** Toasts that come during `act` stay until its end, as under the pointer, however long a busy test takes to reach one. */
  holdingToasts(act: () => Promise<unknown>): Promise<void>;
  /** axe-core's violations, one line each: of all rules, or of those on color, the only difference between the themes. */
  violations(rules?: 'all' | 'colors'): Promise<string[]>;
  close(): Promise<void>;
};

const findChromium = (): string => {
  const path = process.env.EARSHOT_CHROMIUM ?? CHROMIUM_PATHS.find(existsSync);
  if (path === undefined)
    throw new Error('No Chromium was found. Install it, or name it in EARSHOT_CHROMIUM.');
  return path;
};

/** What the tests show their pages in: the headless shell if it is installed, else Chromium. */
export const findTestBrowser = (): string => (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : findChromium());

/** Launches Chromium as it is, but for what `more` changes. */
export const launchBrowser = (
  more: readonly string[] = [],
  executablePath: string = findChromium(),
): Promise<Chromium> => chromium.launch({ executablePath, args: [...FLAGS, ...more] });

/**
 * A whole Chromium of a test file's own, for one that needs flags of its own. The optimizing compilers of V8 are off: a page
 * of a test ends before what they compile pays.
 */
export const launchTestBrowser = (more: readonly string[] = [], executablePath?: string): Promise<Chromium> =>
  launchBrowser(
    [`--disable-features=${DISABLED_FEATURES.join(',')}`, '--js-flags=--no-maglev,--no-turbofan', ...more],
    executablePath,
  );

/** A test file's share of the browser: closing it closes what that file opened. */
export type Browser = Pick<Chromium, 'newContext' | 'newPage' | 'close'> & {
  /** Where windows reuse the pages of closed ones: those that are open. */
  readonly windows?: Set<TestWindow>;
};

let shared: Promise<Chromium> | undefined;

/** The browser that all test files of this process share; it ends with the process. */
export const borrowBrowser = async (): Promise<Browser> => {
  shared ??= launchTestBrowser([], findTestBrowser());
  const browser = await shared;
  const contexts: BrowserContext[] = [];
  const windows = new Set<TestWindow>();
  return {
    windows,
    newContext: async (options) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      return context;
    },
    newPage: async (options) => {
      const page = await browser.newPage(options);
      contexts.push(page.context());
      return page;
    },
    close: async () => {
      await Promise.all([...windows].map((window) => window.close()));
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
};

/** Where a page keeps the texts of its toasts. */
const TOASTS_SEEN = 'data-toasts-seen';

/** In the page: keeps the text of every toast, since one may have gone before a busy test looks for it. */
const keepToasts = (attribute: string): void => {
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        const toast = node.matches('[data-toast]') ? node : node.querySelector('[data-toast]');
        const root = document.documentElement;
        if (toast !== null)
          root.setAttribute(attribute, `${root.getAttribute(attribute) ?? ''}${toast.textContent}\n`);
      }
    }
  }).observe(document, { childList: true, subtree: true });
};

/** A font that comes later moves what is shown. */
export const untilFonts = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await document.fonts.ready;
  });

const EVERY_MS = 50;

/** In the page: keeps Radix from closing toasts until `letToastsGo`. */
const holdToasts = (everyMs: number): void => {
  const hold = () =>
    document.querySelector('[data-toast]')?.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
  Object.assign(globalThis, { holdingToasts: setInterval(hold, everyMs) });
};
const letToastsGo = (): void => {
  clearInterval(Reflect.get(globalThis, 'holdingToasts'));
  const region = document.querySelector('[data-toast]')?.closest('[role=region]');
  if (region?.matches(':hover') === false) region.dispatchEvent(new PointerEvent('pointerleave'));
};

/** What a window's context has from its creation to its end. */
type Kind = {
  readonly locale: string;
  readonly reducedMotion: 'reduce' | 'no-preference';
  readonly session: string | null;
};

const PREFS = 'earshot.prefs';

const newPage = async (
  browser: Browser | Chromium,
  { locale, reducedMotion, session }: Kind,
): Promise<Page> => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ locale, reducedMotion, permissions });
  await context.addInitScript(
    (own) => {
      // A blank page has no storage.
      if (location.protocol === 'about:') return;
      if (own.session !== null) sessionStorage.setItem('earshot.session', own.session);
      if (localStorage.getItem(own.prefs) === null) localStorage.setItem(own.prefs, '{}');
    },
    { session, prefs: PREFS },
  );
  await context.addInitScript(keepToasts, TOASTS_SEEN);
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const rate = Number(process.env.EARSHOT_TEST_THROTTLE ?? 1);
  if (rate > 1) {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
  }
  return page;
};

const SOON = { timeout: 10_000 };
const SNAPSHOT_CHARACTERS = 8000;

/** What a person would see in a page: its address, its errors, the focused element and the accessibility tree. */
const describePage = async (page: Page, errors: readonly string[]): Promise<string> => {
  const isHeld = (await page.locator(':focus').count()) > 0;
  const focused = isHeld
    ? await page
        .locator(':focus')
        .first()
        .evaluate((element) => element.outerHTML.slice(0, 300), undefined, SOON)
    : 'nothing';
  const tree = await page.locator('body').ariaSnapshot(SOON);
  return [page.url(), ...errors, `focused: ${focused}`, tree.slice(0, SNAPSHOT_CHARACTERS)].join('\n');
};

/** Opens a server's window: nothing that an earlier one stored or showed is left in it. */
export const openWindow = async (
  browser: Browser,
  server: TestServer,
  options: WindowOptions = {},
): Promise<TestWindow> => {
  const kind: Kind = {
    locale: options.locale ?? 'en-GB',
    reducedMotion: options.reducedMotion ?? 'reduce',
    session: options.signedIn === false ? null : server.key,
  };
  // The windows that are reused are the shared browser's; they outlive a test file.
  const reusing = browser.windows === undefined || options.own === true ? undefined : await shared;
  const parked = reusing === undefined ? undefined : takePage(JSON.stringify(kind));
  const page = parked ?? (await newPage(reusing ?? browser, kind));
  const context = page.context();
  await page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 820 });
  await page.emulateMedia({ colorScheme: options.theme ?? 'light', forcedColors: null, media: null });
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // The browser logs every failed response, also those that a test provokes.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      errors.push(message.text());
  });
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server.url) && !url.startsWith('blob:') && !url.startsWith('data:'))
      foreign.push(url);
  });
  const forget = describeOnFailure(() => describePage(page, errors));
  page.once('close', forget);
  if (options.prefs !== undefined) {
    // A page of the same origin in which nothing runs.
    await page.goto(`${server.url}/robots.txt`);
    await page.evaluate(([key, prefs]) => localStorage.setItem(key, prefs), [
      PREFS,
      JSON.stringify(options.prefs),
    ] as const);
  }
  await page.goto(`${server.url}/${options.at ?? ''}`);
  const settle = async () => {
    // After two frames React has rendered the route and begun to load its content.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await page.waitForFunction(
      () =>
        document.querySelector('main h1, main h2') !== null &&
        document.querySelector('main .skeleton, main [data-loading]') === null,
    );
    await untilFonts(page);
  };
  const window: TestWindow = {
    page,
    context,
    errors,
    foreign,
    go: async (hash) => {
      await page.goto(`${server.url}/${hash}`);
      await settle();
    },
    settle,
    toast: (text) => page.locator('[data-toast]', { hasText: text }),
    toasted: async (text, options) => {
      await page.waitForFunction(
        ([attribute, wanted]) => {
          const seen = document.documentElement.getAttribute(attribute)?.split('\n') ?? [];
          return seen.some((each) =>
            typeof wanted === 'string' ? each.includes(wanted) : wanted.test(each),
          );
        },
        [TOASTS_SEEN, text] as const,
        options,
      );
    },
    holdingToasts: async (act) => {
      await page.evaluate(holdToasts, EVERY_MS);
      await act();
      await page.evaluate(letToastsGo);
    },
    violations: async (rules = options.theme === 'dark' ? 'colors' : 'all') => {
      if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(AXE);
      const only =
        rules === 'colors'
          ? ', runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] }'
          : '';
      const violations: AxeResults['violations'] = await page.evaluate(
        `axe.run(document, { resultTypes: ["violations"]${only} }).then((results) => results.violations)`,
      );
      return violations.flatMap((violation) =>
        violation.nodes.map(
          (node) => `${violation.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`,
        ),
      );
    },
    close: async () => {
      forget();
      browser.windows?.delete(window);
      if (reusing === undefined) await context.close();
      else await parkPage(JSON.stringify(kind), page, server.url);
    },
  };
  browser.windows?.add(window);
  return window;
};

/** Sets the preferences of an open window, which cost less than a window of their own, and loads it again. */
export const prefer = async (
  { page, settle }: TestWindow,
  prefs: Readonly<Record<string, unknown>>,
): Promise<void> => {
  await page.evaluate(([key, stored]) => localStorage.setItem(key, stored), [
    PREFS,
    JSON.stringify(prefs),
  ] as const);
  await page.reload();
  await settle();
};

const THEMES = ['light', 'dark'] as const;

/** The violations of a window in the light theme, and in the dark one those on color. It stays in the dark theme. */
export const violationsInThemes = async (window: TestWindow): Promise<string[]> => {
  const found: string[] = [];
  for (const colorScheme of THEMES) {
    await window.page.emulateMedia({ colorScheme });
    await window.page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
    const violations = await window.violations(colorScheme === 'light' ? 'all' : 'colors');
    found.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
};
