import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type TestWindow, untilFonts } from './browser.ts';
import { startServer, type TestServer } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts a server on a new data folder into which `store` wrote transcripts. */
export const startWithStored = async <T>(
  store: (dataDir: string) => T | Promise<T>,
): Promise<{ readonly server: TestServer; readonly stored: T }> => {
  const dataDir = temporaryFolder();
  const stored = await store(dataDir);
  return { server: await startServer({ dataDir }), stored };
};

/** Opens a transcript that has words. */
export const openTranscript = async (
  server: TestServer,
  id: string,
  { page }: Pick<TestWindow, 'page'>,
): Promise<void> => {
  const url = `${server.url}/#/transcript/${id}`;
  // Another transcript's words stay for a moment after the address has changed.
  const [before] = page.url() === url ? [] : await page.locator('[data-w="0"]').elementHandles();
  await page.goto(url);
  await before?.waitForElementState('hidden');
  await page.locator('[data-w="0"]').waitFor();
};

/** Selects words with the mouse, and presses the button that this brings. */
export const selectWords = async (page: Page, from: number, to: number, button: string): Promise<void> => {
  const action = page.getByRole('button', { name: button, exact: true });
  const boxOf = (word: number) => page.locator(`[data-w="${word}"]`).boundingBox();
  // While the page loads, the text moves under the pointer.
  await untilFonts(page);
  await expect
    .poll(async () => {
      const [first, last] = await Promise.all([boxOf(from), boxOf(to)]);
      if (first === null || last === null) return false;
      await page.mouse.move(first.x + 1, first.y + first.height / 2);
      await page.mouse.down();
      await page.mouse.move(last.x + last.width - 1, last.y + last.height / 2, { steps: 4 });
      await page.mouse.up();
      return action.isVisible();
    })
    .toBe(true);
  await action.click();
};
