import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIXTURES, launchBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribeFixture } from '../support/transcribe.ts';

const SCREENS = [
  '#/',
  '#/queue',
  '#/files',
  '#/models',
  '#/api',
  '#/settings',
  '#/settings/network',
  '#/settings/about',
];

describe('every screen', () => {
  let server: TestServer;
  let browser: Browser;
  let id: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launchBrowser()]);
    id = await transcribeFixture(server, join(FIXTURES, '11-news-and-entities.wav'));
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const settle = async ({ page }: TestWindow) => {
    await page.locator('main').waitFor();
    await page.waitForLoadState('load');
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    // The list and the forms arrive with their data.
    await page.waitForTimeout(300);
  };

  it.each(['light', 'dark'] as const)('has no violation that axe-core knows, %s', async (theme) => {
    const window = await openWindow(browser, server, { theme });
    for (const hash of [...SCREENS, `#/transcript/${id}`]) {
      await window.go(hash);
      await settle(window);
      expect(await window.violations(), hash).toEqual([]);
    }
    for (const tab of ['Names', 'Details']) {
      await window.page.getByRole('tab', { name: tab }).click();
      expect(await window.violations(), tab).toEqual([]);
    }
    await window.close();
  });

  it.each(['light', 'dark'] as const)('has dialogs without violations, %s', async (theme) => {
    const window = await openWindow(browser, server, { theme });
    const { page } = window;
    await settle(window);
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New transcription' }).waitFor();
    await page.locator('[role=dialog] input[type=file]').setInputFiles(join(FIXTURES, '01-short-note.wav'));
    await page.getByRole('slider').first().waitFor();
    expect(await window.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    for (const [key, name] of [
      ['?', 'Keyboard shortcuts'],
      ['Control+k', 'Commands'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name }).waitFor();
      expect(await window.violations(), name).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await window.go(`#/transcript/${id}`);
    await page.locator('[data-w]').first().waitFor();
    await page.keyboard.press('Control+e');
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
    expect(await window.violations()).toEqual([]);
    await window.close();
  });

  it.each([360, 768, 1920])('fits a window %i pixels wide', async (width) => {
    const window = await openWindow(browser, server, { width, height: 760 });
    for (const hash of [...SCREENS, `#/transcript/${id}`]) {
      await window.go(hash);
      await settle(window);
      const overflow = await window.page.evaluate(() => {
        const main = document.querySelector('main');
        const inner = main?.firstElementChild;
        return [
          document.documentElement.scrollWidth - document.documentElement.clientWidth,
          inner === null || inner === undefined ? 0 : inner.scrollWidth - inner.clientWidth,
        ];
      });
      expect(overflow, `${hash} at ${width}`).toEqual([0, 0]);
    }
    await window.close();
  });

  it.each([
    ['de-DE', 'Bibliothek'],
    ['es-ES', 'Biblioteca'],
    ['fr-FR', 'Bibliothèque'],
    ['en-US', 'Library'],
  ])('speaks %s', async (locale, library) => {
    const window = await openWindow(browser, server, { locale });
    await window.page.getByRole('navigation').getByText(library).first().waitFor();
    for (const hash of [...SCREENS, `#/transcript/${id}`]) {
      await window.go(hash);
      await settle(window);
      const text = await window.page.locator('body').textContent();
      expect(text, hash).not.toMatch(/(?<!\/)\{\w+[},]/);
    }
    expect(await window.page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
    expect(window.errors).toEqual([]);
    await window.close();
  });

  it('is used by keyboard alone, with the focus in view', async () => {
    const window = await openWindow(browser, server);
    const { page } = window;
    await settle(window);
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        const style = element === null ? undefined : getComputedStyle(element);
        return {
          name: element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '',
          outlined:
            style !== undefined && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0,
          field: element instanceof HTMLInputElement,
        };
      });
    const seen: string[] = [];
    for (let step = 0; step < 14; step++) {
      await page.keyboard.press('Tab');
      const { name, outlined, field } = await focused();
      // A search field wears the ring on its frame.
      if (!field) expect(outlined, name).toBe(true);
      seen.push(name);
    }
    expect(seen[0]).toBe('Skip to the content');
    expect(seen.join('|')).toContain('New transcription');
    const row = page.locator('[data-row-link]').first();
    await row.focus();
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
});
