import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  borrowBrowser,
  openWindow,
  type TestWindow,
  type WindowOptions,
} from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

const SCREENS = ['#/', '#/queue', '#/files', '#/models', '#/api', '#/settings', '#/settings/network'];
const WIDE = ['#/', '#/files', '#/settings'];

/**
 * The narrow, the wide and the zoomed window, in the languages with the longest words and with the largest text. The narrow
 * one shows every screen, and the wide one those with the most beside each other.
 */
const WINDOWS: readonly [string, WindowOptions, readonly string[]][] = [
  ['400 px, German, largest text', { width: 400, prefs: { locale: 'de', textScale: 1.3 } }, SCREENS],
  ['1280 px, French, largest text', { prefs: { locale: 'fr', textScale: 1.3 } }, WIDE],
];

/** What is cut off or out of reach: the page's width, and labels of controls and headings. */
const findCutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const tooWide = document.documentElement.scrollWidth - window.innerWidth;
    if (tooWide > 0) found.push(`the page is ${tooWide} px too wide`);
    for (const element of document.querySelectorAll('nav *, button, button span, a, h1, h2, h3, label, th')) {
      const { width, right } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      // Clipped: for screen readers alone. Values of fields may be longer than the field.
      if (width === 0 || style.clipPath !== 'none' || element.closest('[role=combobox], svg') !== null)
        continue;
      const text = element.textContent.trim();
      if (style.overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1 && text !== '')
        found.push(`${element.tagName} is cut: ${text}`);
      const scroller = element.parentElement?.closest('[class*=overflow-x-auto], [class*=overflow-auto]');
      if (right > window.innerWidth + 1 && scroller === null)
        found.push(`${element.tagName} is out of sight: ${text}`);
    }
    return found;
  });

describe('layout', () => {
  let server: TestServer;
  let browser: Browser;
  /** Of the last two tests. */
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), borrowBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it.each(WINDOWS)(
    'shows every label, and where a waiting job is in the queue, at %s',
    async (_, options, screens) => {
      const window = await openWindow(browser, server, options);
      for (const hash of screens) {
        await window.go(hash);
        expect(await findCutOff(window.page), hash).toEqual([]);
      }
      if (options.width === 400) expect(await window.violations()).toEqual([]);
      await server.client.call('pauseQueue');
      const { id } = await server.client.call('createTranscript', {
        body: { audio_url: 'http://127.0.0.1:9/x.mp3', model: 'mini', name: 'Waiting' },
      });
      for (const hash of ['#/', '#/queue']) {
        await window.go(hash);
        const state = window.page
          .getByText(/ 1(?: |$)|#1/)
          .and(window.page.locator('.truncate'))
          .first();
        await state.waitFor();
        expect(await state.evaluate((text) => text.scrollWidth - text.clientWidth), hash).toBeLessThanOrEqual(
          0,
        );
      }
      await window.close();
      await server.client.call('deleteTranscript', { params: { id } });
      await server.client.call('resumeQueue');
    },
  );

  it('shows the whole of a name that its row cuts, wide and narrow, light and dark', async () => {
    const names = [
      `${'株式会社の四半期決算説明会における質疑応答の記録'.repeat(8)}終わり`,
      `${'A very long name of a recording that somebody gave it '.repeat(4).slice(0, 196)} end`,
      'Short',
    ];
    for (const name of names)
      await server.client.call('createTranscript', {
        body: { audio_url: 'http://127.0.0.1:9/x.mp3', model: 'mini', name },
      });
    window = await openWindow(browser, server);
    const { page } = window;
    await window.settle();
    const whole = page.locator('[data-whole-text]');
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [400, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 820 });
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
      for (const name of names.slice(...(width === 400 ? [0, 2] : [1, 2]))) {
        const link = page.getByRole('link', { name, exact: true }).first();
        await link.hover();
        expect(await whole.textContent()).toBe(name);
        const box = await whole.boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
        // All lines of it are shown: it is above the rows that follow.
        const isOnTop = await whole.evaluate((element) => {
          const { left, right, bottom } = element.getBoundingClientRect();
          element.style.pointerEvents = 'auto';
          return document.elementFromPoint((left + right) / 2, bottom - 4) === element;
        });
        expect(isOnTop).toBe(true);
        await page.mouse.move(0, 0);
        await whole.waitFor({ state: 'detached' });
        await link.focus();
        expect(await whole.textContent()).toBe(name);
        await page.keyboard.press('Escape');
        await whole.waitFor({ state: 'detached' });
      }
      await page.getByRole('link', { name: 'Short', exact: true }).first().hover();
      expect(await whole.count()).toBe(0);
      await page.getByRole('link', { name: names[1], exact: true }).first().hover();
      expect(await window.violations(colorScheme === 'light' ? 'all' : 'colors')).toEqual([]);
      await page.mouse.move(0, 0);
      await whole.waitFor({ state: 'detached' });
    }
  });

  it('leads to every page, and names every button, at 400 px', async () => {
    const { page } = window;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html[data-theme="light"]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Record', exact: true }).waitFor();
    for (const [name, hash] of [
      ['Queue', '#/queue'],
      ['API', '#/api'],
      ['Settings', '#/settings'],
    ] as const) {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      // The menu is the same on every page.
      if (hash === '#/queue') expect(await window.violations()).toEqual([]);
      await page.getByRole('menuitem', { name }).click();
      await page.waitForURL((url) => url.hash === hash);
      await window.settle();
    }
  });
});
