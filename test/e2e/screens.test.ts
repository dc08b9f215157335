import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAV_SCREENS } from '../../renderer/app/screens.tsx';
import { SETTING_GROUPS } from '../../renderer/features/settings/setting-groups.ts';
import { hrefOf } from '../../renderer/stores/router.ts';
import { wav } from '../support/audio.ts';
import {
  type Browser,
  borrowBrowser,
  openWindow,
  type TestWindow,
  violationsInThemes,
} from '../support/browser.ts';
import { dealt } from '../support/dealt.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { transcribeFixture } from '../support/transcribe.ts';
import { addUnfinished } from '../support/unfinished.ts';
import type { UrlServer } from '../support/url-server.ts';
import { OPENED } from './opened.ts';

const SETTINGS = [...SETTING_GROUPS.map((group) => group.id), 'privacy', 'shortcuts', 'about'].map(
  (id) => `#/settings/${id}`,
);
/**
 * Every screen of the navigation, so that a new one is checked as well, and every section of the settings. The settings open
 * with their first section.
 */
const SCREENS = [...NAV_SCREENS.map(({ name }) => hrefOf({ screen: name })), ...SETTINGS.slice(1)];

/** Where settings.test.ts has axe on its own. */
const CHECKED_ELSEWHERE = ['models', 'performance', 'language-model'].map((id) => `#/settings/${id}`);

const NEWS = '11-news-and-entities.wav';
const WAV_HEADER_BYTES = 44;
/** Of the two last sentences of five. */
const NEWS_END_SAMPLES = 7.2 * 16_000;
const LARGEST_TEXT = 1.3;
/** Of a message whose value is missing; not one of a path. */
const PLACEHOLDER = /(?<!\/)\{\w+[},]/;
/** Into how many parts the addresses are dealt. */
const PARTS = 2;

describe('every screen', () => {
  let server: TestServer;
  let browser: Browser;
  let remote: UrlServer;
  let window: TestWindow;
  let id: string;
  let transcripts: readonly string[];
  /** Every address of the window, with a transcript in each state. */
  let addresses: readonly string[];

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ quick: true }), borrowBrowser()]);
    id = await transcribeFixture(server, await endOfNews(), undefined, { model: 'starter-parakeet' });
    const unfinished = await addUnfinished(server);
    remote = unfinished.remote;
    transcripts = [id, unfinished.failed, unfinished.running].map((each) => `#/transcript/${each}`);
    addresses = [...SCREENS, ...transcripts];
    window = await openWindow(browser, server);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
    await remote?.close();
  });

  const endOfNews = async (): Promise<string> => {
    const { buffer } = new Uint8Array(await readFile(fixturePath(NEWS)));
    const path = join(temporaryFolder(), NEWS);
    await writeFile(path, wav(new Int16Array(buffer, WAV_HEADER_BYTES).slice(-NEWS_END_SAMPLES)));
    return path;
  };

  /** What is alike is checked in one theme each, in turn; the library is checked in both. */
  const violationsInTurn = async (window: TestWindow, at: number): Promise<string[]> => {
    const colorScheme = at % 2 === 0 ? 'light' : 'dark';
    await window.page.emulateMedia({ colorScheme });
    await window.page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
    return window.violations('all');
  };

  const WIDE = { width: 1920, height: 1080 };
  const TABLET = { width: 768, height: 760 };
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

  /**
   * Checks the sizes of a phone, also with the largest text, of a tablet and of a wide screen, and the layout from right to
   * left; back to the usual one.
   */
  const checkFit = async (window: TestWindow, hash: string) => {
    const { page } = window;
    const turn = (dir: string, scale: number) =>
      page.evaluate(
        ([to, size]) => {
          document.documentElement.dir = to;
          document.documentElement.style.setProperty('--text-scale', String(size));
        },
        [dir, scale] as const,
      );
    await page.emulateMedia({ colorScheme: 'light' });
    const at = SETTINGS.indexOf(hash);
    // What fits a phone with the largest text fits it with the usual one. The other sizes are checked once each.
    const sizes = [...(hash === '#/' ? [WIDE] : []), ...(hash === transcripts[0] ? [TABLET] : [])];
    for (const size of sizes) expect(await overflowOf(window, size), `${hash} ${size.width}`).toBe(0);
    await turn('ltr', LARGEST_TEXT);
    expect(await overflowOf(window, PHONE), `${hash} with the largest text`).toBe(0);
    if (at % 4 === 0 || at === -1) {
      await turn('rtl', 1);
      expect(await overflowOf(window, DESKTOP), `${hash} from the right`).toBe(0);
    }
    if (hash === '#/') {
      const rail = await page.getByRole('navigation', { name: 'Main' }).first().boundingBox();
      expect(rail?.x).toBeGreaterThan(640);
    }
    await turn('ltr', 1);
  };

  it('has no accessibility violations, light and dark, fits every size, and supports right-to-left languages', async () => {
    const found: Record<string, string[]> = {};
    for (const hash of addresses) {
      await window.go(hash);
      const inThemes = hash === '#/' ? violationsInThemes : violationsInTurn;
      if (!CHECKED_ELSEWHERE.includes(hash)) {
        const violations = await inThemes(window, addresses.indexOf(hash));
        if (violations.length > 0) found[hash] = violations;
      }
      expect(await window.page.locator('body').textContent(), hash).not.toMatch(PLACEHOLDER);
      await checkFit(window, hash);
    }
    expect(found).toEqual({});
    await window.go(`#/transcript/${id}`);
    for (const [at, tab] of ['Details', 'Mentions'].entries()) {
      await window.page.getByRole('tab', { name: tab }).click();
      expect(await violationsInTurn(window, at), tab).toEqual([]);
    }
    expect(window.foreign).toEqual([]);
  });

  it('opens dialogs, menus and results without accessibility violations, light and dark', async () => {
    const { page } = window;
    const found: Record<string, string[]> = {};
    const isClean = () =>
      page.evaluate(
        () =>
          document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') === null &&
          [...document.querySelectorAll('input')].every(({ value }) => value === ''),
      );
    for (const [at, { name, hash, open }] of OPENED.entries()) {
      await page.keyboard.press('Escape');
      await window.go(hash);
      // Start from a clean screen.
      if (!(await isClean())) {
        await page.reload();
        await window.settle();
      }
      await open(page);
      const violations = await violationsInTurn(window, at);
      if (violations.length > 0) found[name] = violations;
    }
    expect(found).toEqual({});
    expect(window.errors).toEqual([]);
    await page.keyboard.press('Escape');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('is translated, and fits a phone', { timeout: 120_000 }, async () => {
    const own = await openWindow(browser, server, { locale: 'de-DE' });
    await own.page.getByRole('navigation').getByText('Bibliothek').first().waitFor();
    await own.page.getByRole('row').getByText('ließ sich von ihrem Link nicht laden').waitFor();
    for (const hash of dealt(addresses, 0, PARTS)) {
      await own.go(hash);
      expect(await own.page.locator('body').textContent(), hash).not.toMatch(PLACEHOLDER);
      expect(await overflowOf(own, PHONE), hash).toBe(0);
    }
    expect(await own.page.locator('html').getAttribute('lang')).toBe('de');
    expect([own.errors, own.foreign]).toEqual([[], []]);
    await own.close();
  });

  it('keeps the keyboard focus visible', async () => {
    const { page } = window;
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
    for (const hash of ['#/', '#/files', '#/settings/network']) {
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
    for (const name of ['Filter', 'Upload']) expect(seen).toContain(name);
  });

  it('supports the keyboard for rows, a transcript and its words', async () => {
    const { page } = window;
    // A page that has just been loaded, with the focus nowhere.
    await window.go('#/');
    await page.reload();
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
  });

  it('restores the screen after a reload', async () => {
    const { page } = window;
    await window.go('#/');
    await page.getByRole('progressbar', { name: 'Progress of Board meeting' }).waitFor();
    await page.reload();
    await page.getByRole('progressbar', { name: 'Progress of Board meeting' }).waitFor();
    expect(window.errors).toEqual([]);
  });

  it('lists webhook deliveries with links to their transcripts', async () => {
    const { page } = window;
    await window.go('#/api');
    const delivery = page.getByRole('listitem').filter({ hasText: '/hook' });
    await delivery.getByText('waiting').waitFor();
    await delivery.getByRole('link', { name: 'Customer call, Northwind' }).click();
    await page.getByRole('heading', { name: 'Customer call, Northwind' }).waitFor();
  });

  it('analyzes a finished transcript again', async () => {
    const { page } = window;
    await window.go('#/');
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
  });
});
