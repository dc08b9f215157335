import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, type TestServer } from '../support/server.ts';
import { startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';
import { untilFrame } from './until-frame.ts';

const UNDO_MS = 6000;
const SIZES = [
  [1280, 820],
  [640, 410],
  [400, 500],
] as const;

describe('toasts', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => {
      for (const name of ['Talk', 'Note']) storeTalk(dataDir, name, [['A', 'Good morning.']]);
    });
    [server, browser] = [started.server, await borrowBrowser()];
    window = await openWindow(browser, server, { own: true });
    // The page's clock: a toast's time passes without waiting for it.
    await window.page.clock.install();
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const stored = async () => (await server.client.call('listTranscripts')).data.pagination.total;
  const untilRows = (count: number) =>
    expect.poll(() => window.page.locator('[data-row-link]').count()).toBe(count);
  const removeFirst = async () => {
    const { page } = window;
    await page.locator('[data-row-link]').first().focus();
    await page.keyboard.press('Delete');
    const toast = window.toast('Deleted');
    await toast.waitFor();
    // A busy machine takes F8 between the toast's first frame and its listeners; no one is as fast.
    await toast.evaluate((element) => Promise.all(element.getAnimations().map((each) => each.finished)));
    return toast;
  };

  it('goes beside one that was closed under the pointer', async () => {
    const { page } = window;
    const rename = async (name: string) => {
      await page.locator('[data-row-link]').first().focus();
      await page.keyboard.press('F2');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await window.toast(name).waitFor();
    };
    await rename('First');
    await rename('Second');
    const toasts = page.locator('[data-toast]');
    // The upper one: nothing moves to where the pointer is.
    await window.toast('First').getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => toasts.count()).toBe(1);
    await page.clock.runFor(UNDO_MS * 3);
    await toasts.waitFor({ state: 'detached' });
    await page.mouse.move(5, 5);
  });

  it('stays while the pointer is on it, and its Undo works then', async () => {
    const { page } = window;
    const toast = await removeFirst();
    await toast.hover();
    await page.clock.runFor(UNDO_MS * 3);
    expect(await toast.isVisible()).toBe(true);
    await toast.getByRole('button', { name: 'Undo' }).click();
    await toast.waitFor({ state: 'detached' });
    await untilRows(2);
    await page.clock.runFor(UNDO_MS * 3);
    expect(await stored()).toBe(2);
  });

  it('stays while it has the focus, which F8 gives it', async () => {
    const { page } = window;
    await page.mouse.move(5, 5);
    const toast = await removeFirst();
    await page.keyboard.press('F8');
    await page.waitForFunction(() => document.activeElement?.closest('[role=region] ol') !== null);
    await page.clock.runFor(UNDO_MS * 3);
    expect(await toast.isVisible()).toBe(true);
    expect(await window.violations('all')).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Undo');
    await page.keyboard.press('Enter');
    await untilRows(2);
  });

  it('covers no button of an open dialog at any size', async () => {
    const { page } = window;
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    const covered = () =>
      dialog.locator('button, a, input').evaluateAll((controls) => {
        const toasts = [...document.querySelectorAll('[data-toast]')].map((each) =>
          each.getBoundingClientRect(),
        );
        return controls
          .filter((control) => {
            const { left, right, top, bottom } = control.getBoundingClientRect();
            const overlaps = (box: DOMRect) =>
              left < box.right && right > box.left && top < box.bottom && bottom > box.top;
            return right > left && toasts.some(overlaps);
          })
          .map((control) => control.getAttribute('aria-label') ?? control.textContent);
      });
    await window.holdingToasts(async () => {
      const toast = await removeFirst();
      await page.getByTestId('file-input').setInputFiles(fixturePath(ONE_SENTENCE));
      await dialog.getByRole('button', { name: 'Copy as curl' }).click();
      await window.toast('Copied').waitFor();
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        await untilFrame(page);
        expect(await page.locator('[data-toast]').count()).toBe(2);
        expect(await covered(), `${width} by ${height} px`).toEqual([]);
      }
      // Escape would close the toasts first.
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await toast.getByRole('button', { name: 'Undo' }).click();
    });
    await untilRows(2);
    await page.clock.runFor(UNDO_MS * 3);
    await page.setViewportSize({ width: 1280, height: 820 });
  });

  it('deletes when it goes, also in a window without the focus', async () => {
    const { page } = window;
    await page.mouse.move(5, 5);
    const toast = await removeFirst();
    await page.evaluate(() => globalThis.dispatchEvent(new Event('blur')));
    await page.clock.runFor(UNDO_MS + 100);
    await toast.waitFor({ state: 'detached' });
    await expect.poll(stored).toBe(1);
  });

  it('goes as well after the window was in the background without it', async () => {
    const { page } = window;
    await page.evaluate(() => globalThis.dispatchEvent(new Event('focus')));
    // Once the list has come without the first one, whose place the other one takes: a key pressed just then would be lost.
    await page.locator('[data-index="0"] [data-row-link]').waitFor();
    const toast = await removeFirst();
    await page.clock.runFor(UNDO_MS + 100);
    await toast.waitFor({ state: 'detached' });
    await expect.poll(stored).toBe(0);
    expect(window.errors).toEqual([]);
  });
});
