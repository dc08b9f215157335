import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAV_SCREENS } from '../../renderer/app/screens.tsx';
import { SETTING_GROUPS } from '../../renderer/features/settings/setting-groups.ts';
import { hrefOf } from '../../renderer/stores/router.ts';
import { dealt } from '../support/breadth.ts';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribeFixture } from '../support/transcribe.ts';
import { addUnfinished } from '../support/unfinished.ts';
import type { UrlServer } from '../support/url-server.ts';

const SETTINGS = [...SETTING_GROUPS.map((group) => group.id), 'privacy', 'shortcuts', 'about'].map(
  (id) => `#/settings/${id}`,
);
/** Every screen of the navigation, so that a new one is checked as well, and every section of the settings. */
const SCREENS = [...NAV_SCREENS.map(({ name }) => hrefOf({ screen: name })), ...SETTINGS];

const LOCALES = 4;

type Opened = { readonly name: string; readonly hash: string; readonly open: (page: Page) => Promise<void> };

const press =
  (...keys: readonly string[]) =>
  async (page: Page) => {
    await page.locator('[data-row-link]').first().focus();
    for (const key of keys) await page.keyboard.press(key);
  };
const inDialog = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await open(page);
  await page.getByRole('dialog').waitFor();
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

/** Everything that opens on top of a screen. */
const OPENED: readonly Opened[] = [
  {
    name: 'search results',
    hash: '#/',
    open: async (page) => {
      await page.getByRole('searchbox').fill('the');
      await page.locator('mark').first().waitFor();
    },
  },
  {
    name: 'no search results',
    hash: '#/',
    open: async (page) => {
      await page.getByRole('searchbox').fill('zzyzx');
      await page.getByText('No results').waitFor();
    },
  },
  {
    name: 'the filter',
    hash: '#/',
    open: async (page) => {
      await button(page, 'Filter').click();
      await page.getByRole('dialog', { name: 'Filter' }).waitFor();
    },
  },
  {
    name: 'the analyses of a selection',
    hash: '#/',
    open: async (page) => {
      await press('x')(page);
      await button(page, 'Analyze again').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'a new transcription',
    hash: '#/',
    open: async (page) => {
      await page.keyboard.press('n');
      await page.locator('[role=dialog] input[type=file]').setInputFiles(fixturePath('01-short-note.wav'));
      await page.getByRole('slider').first().waitFor();
    },
  },
  { name: 'the shortcuts', hash: '#/', open: inDialog((page) => page.keyboard.press('?')) },
  { name: 'the commands', hash: '#/', open: inDialog((page) => page.keyboard.press('Control+k')) },
  { name: 'the recorder', hash: '#/', open: inDialog((page) => button(page, 'Record').click()) },
  {
    name: 'the import of a model',
    hash: '#/models',
    open: inDialog((page) => button(page, 'Import a file').click()),
  },
  {
    name: 'the details of a file',
    hash: '#/files',
    open: inDialog((page) => button(page, '11-news-and-entities.wav').click()),
  },
  {
    name: 'the menu of a file',
    hash: '#/files',
    open: async (page) => {
      await button(page, 'More for 11-news-and-entities.wav').click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'the ways to sort',
    hash: '#/',
    open: async (page) => {
      await button(page, 'Newest first').click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'the deletion of a file',
    hash: '#/files',
    open: async (page) => {
      await button(page, 'More for 11-news-and-entities.wav').click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('1 transcript keeps its text', { exact: false }).waitFor();
    },
  },
  { name: 'a new folder', hash: '#/files', open: inDialog((page) => button(page, 'New folder').click()) },
  { name: 'the pages that may use files', hash: '#/files', open: (page) => button(page, 'Change').click() },
];

describe('every screen', () => {
  let server: TestServer;
  let browser: Browser;
  let remote: UrlServer;
  let id: string;
  /** Every address of the window, with a transcript in each state. */
  let addresses: readonly string[];

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ quick: true }), borrowBrowser()]);
    id = await transcribeFixture(server, fixturePath('11-news-and-entities.wav'), undefined, {
      model: 'starter-parakeet',
    });
    const unfinished = await addUnfinished(server);
    remote = unfinished.remote;
    const transcripts = [id, unfinished.failed, unfinished.running].map((each) => `#/transcript/${each}`);
    addresses = [...SCREENS, ...transcripts];
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
    await remote?.close();
  });

  /** Violations that axe-core finds on the current page, in both themes; the dark one differs only in colors. */
  const violationsIn = async (window: TestWindow): Promise<string[]> => {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await window.page.emulateMedia({ colorScheme });
      await window.page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
      const violations = await window.violations(colorScheme === 'light' ? 'all' : 'colors');
      found.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
    }
    return found;
  };

  const PHONE = { width: 360, height: 760 };
  const DESKTOP = { width: 1280, height: 820 };

  /** Horizontal overflow in pixels of the page and of its vertically scrolling parts. */
  const overflowOf = async ({ page }: TestWindow, size: { width: number; height: number }) => {
    await page.setViewportSize(size);
    return page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const parts = [
        document.documentElement,
        ...document.querySelectorAll('main, main > div, main > div > div'),
      ];
      return Math.max(...parts.map((part) => part.scrollWidth - part.clientWidth));
    });
  };

  /** Checks the size of a phone, a tablet and a wide screen, and the layout from right to left; back to the usual one. */
  const checkFit = async (window: TestWindow, hash: string) => {
    const { page } = window;
    const turn = (dir: string) =>
      page.evaluate((to) => {
        document.documentElement.dir = to;
      }, dir);
    await page.emulateMedia({ colorScheme: 'light' });
    for (const size of [{ width: 1920, height: 1080 }, { width: 768, height: 760 }, PHONE])
      expect(await overflowOf(window, size), `${hash} ${size.width}`).toBe(0);
    await turn('rtl');
    expect(await overflowOf(window, DESKTOP), `${hash} from the right`).toBe(0);
    if (hash === '#/') {
      const rail = await page.getByRole('navigation', { name: 'Main' }).first().boundingBox();
      expect(rail?.x).toBeGreaterThan(640);
    }
    await turn('ltr');
  };

  it('has no accessibility violations, light and dark, fits every size, and supports right-to-left languages', async () => {
    const window = await openWindow(browser, server);
    const found: Record<string, string[]> = {};
    for (const hash of addresses) {
      await window.go(hash);
      const violations = await violationsIn(window);
      if (violations.length > 0) found[hash] = violations;
      await checkFit(window, hash);
    }
    await window.go('#/design');
    expect(await violationsIn(window), 'the design').toEqual([]);
    expect(found).toEqual({});
    await window.go(`#/transcript/${id}`);
    for (const tab of ['Mentions', 'Details']) {
      await window.page.getByRole('tab', { name: tab }).click();
      expect(await violationsIn(window), tab).toEqual([]);
    }
    expect(window.foreign).toEqual([]);
    await window.close();
  });

  it('opens dialogs, menus and results without accessibility violations, light and dark', async () => {
    const window = await openWindow(browser, server);
    const { page } = window;
    const found: Record<string, string[]> = {};
    const isClean = () =>
      page.evaluate(
        () =>
          document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') === null &&
          [...document.querySelectorAll('input')].every(({ value }) => value === ''),
      );
    for (const { name, hash, open } of OPENED) {
      await page.keyboard.press('Escape');
      await window.go(hash);
      // Start from a clean screen.
      if (!(await isClean())) {
        await page.reload();
        await window.settle();
      }
      await open(page);
      const violations = await violationsIn(window);
      if (violations.length > 0) found[name] = violations;
    }
    expect(found).toEqual({});
    await window.go(`#/transcript/${id}`);
    await page.locator('[data-w]').first().waitFor();
    await page.keyboard.press('Control+e');
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
    expect(await violationsIn(window), 'the export').toEqual([]);
    expect(window.errors).toEqual([]);
    await window.close();
  });

  it('fits a phone with the largest text', async () => {
    const window = await openWindow(browser, server, { ...PHONE, prefs: { textScale: 1.3 } });
    for (const hash of addresses) {
      await window.go(hash);
      expect(await overflowOf(window, PHONE), hash).toBe(0);
    }
    await window.close();
  });

  it.each([
    ['de-DE', 0, 'Bibliothek', 'ließ sich von ihrem Link nicht laden'],
    ['es-ES', 1, 'Biblioteca', 'No se pudo obtener la grabación'],
    ['fr-FR', 2, 'Bibliothèque', 'n’a pas pu être récupéré'],
    ['en-US', 3, 'Library', 'answered 404'],
  ])(
    'is translated to %s, and fits a phone',
    async (locale, at, library, reason) => {
      const window = await openWindow(browser, server, { locale });
      await window.page.getByRole('navigation').getByText(library).first().waitFor();
      await window.page.getByRole('row').getByText(reason).waitFor();
      for (const hash of dealt(addresses, at, LOCALES)) {
        await window.go(hash);
        const text = await window.page.locator('body').textContent();
        expect(text, hash).not.toMatch(/(?<!\/)\{\w+[},]/);
        expect(await overflowOf(window, PHONE), hash).toBe(0);
      }
      expect(await window.page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
      expect([window.errors, window.foreign]).toEqual([[], []]);
      await window.close();
    },
    120_000,
  );

  it('keeps the keyboard focus visible', async () => {
    const window = await openWindow(browser, server);
    const { page } = window;
    await window.settle();
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        // A search field shows the focus ring on its frame.
        const framed = element instanceof HTMLInputElement && element.type === 'search';
        const ring = framed ? element.parentElement : element;
        const style = ring === null ? undefined : getComputedStyle(ring);
        const box = element?.getBoundingClientRect();
        return {
          left: element === document.body,
          name: element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '',
          outlined:
            style !== undefined && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0,
          inView: box !== undefined && box.bottom > 0 && box.top < innerHeight && box.width > 0,
        };
      });
    const seen: string[] = [];
    for (const hash of ['#/', '#/files', '#/models', '#/api', '#/settings/network']) {
      await window.go(hash);
      await page.evaluate(() => document.querySelector<HTMLElement>('main')?.focus());
      for (let step = 0; step < 14; step++) {
        await page.keyboard.press('Tab');
        const { name, outlined, inView, left } = await focused();
        // After the last element the focus moves to the browser's toolbar.
        if (left) break;
        expect([outlined, inView], `${hash}: ${name}`).toEqual([true, true]);
        seen.push(name);
      }
    }
    for (const name of ['Filter', 'Upload', 'Import a file', 'Documentation']) expect(seen).toContain(name);
    await window.close();
  });

  it('supports the keyboard for rows, a transcript and its words', async () => {
    const window = await openWindow(browser, server);
    const { page } = window;
    await window.settle();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    await page.getByRole('link', { name: '11-news-and-entities' }).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('a');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Export');
    await page.getByRole('link', { name: '11-news-and-entities' }).focus();
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.locator('[data-w]').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.locator('.w.play').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await window.close();
  });

  it('restores the screen after a reload', async () => {
    const window = await openWindow(browser, server);
    const { page } = window;
    for (const hash of ['#/queue', '#/files', '#/settings/limits', `#/transcript/${id}`]) {
      await window.go(hash);
      const before = await page.locator('main h1').first().textContent();
      await page.reload();
      await window.settle();
      expect(await page.locator('main h1').first().textContent(), hash).toBe(before);
    }
    await window.go('#/');
    await page.getByRole('progressbar', { name: 'Progress of Board meeting' }).waitFor();
    await page.reload();
    await page.getByRole('progressbar', { name: 'Progress of Board meeting' }).waitFor();
    expect(window.errors).toEqual([]);
    await window.close();
  });

  it('lists webhook deliveries with links to their transcripts', async () => {
    const window = await openWindow(browser, server);
    const { page } = window;
    await window.go('#/api');
    const delivery = page.getByRole('listitem').filter({ hasText: '/hook' });
    await delivery.getByText('waiting').waitFor();
    await delivery.getByRole('link', { name: 'Customer call, Northwind' }).click();
    await page.getByRole('heading', { name: 'Customer call, Northwind' }).waitFor();
    await window.close();
  });

  it('analyzes a finished transcript again', async () => {
    const window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE } });
    const { page } = window;
    await window.settle();
    const before = await server.client.call('getTranscript', { params: { id } });
    await page.getByRole('link', { name: '11-news-and-entities' }).focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Analyze again' }).click();
    const dialog = page.getByRole('dialog');
    const start = dialog.getByRole('button', { name: 'Analyze', exact: true });
    expect(await start.isDisabled()).toBe(true);
    await dialog.getByRole('switch', { name: 'Summary' }).click();
    await dialog.getByText('Paragraphs', { exact: true }).click();
    await start.click();
    await window.toasted('Analyzing 1 transcript');
    // A job whose download never ends is ahead in the queue.
    const waiting = await server.client.call('listTranscripts', { query: { status: 'processing' } });
    const stuck = waiting.data.transcriptions.find((item) => item.name === 'Board meeting');
    await server.client.call('cancelTranscript', { params: { id: stuck?.id ?? '' } });
    await expect
      .poll(async () => (await server.client.call('getTranscript', { params: { id } })).summary?.type)
      .toBe('paragraphs');
    expect(before.summary?.type).toBe('bullets');
    await window.close();
  });
});
