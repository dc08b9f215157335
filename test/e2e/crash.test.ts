import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';

describe('a crash in the window', () => {
  let server: TestServer;
  let browser: Browser;
  let talk: string;

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => storeTalk(dataDir, 'Talk', [['A', 'Good morning.']]));
    [server, talk, browser] = [started.server, started.stored, await borrowBrowser()];
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  /** Answers an operation with a shape that it never has. */
  const breakAnswer = ({ page }: TestWindow, path: string) =>
    page.route(`**/v1/${path}`, (route) => route.fulfill({ json: { success: true, data: {} } }));

  it.each(['light', 'dark'] as const)('of a screen leaves the others (%s)', async (theme) => {
    const window = await openWindow(browser, server, { theme });
    const { page } = window;
    await breakAnswer(window, 'models*');
    await page.goto(`${server.url}/#/models`);
    const crashed = page.getByRole('alert').filter({ hasText: 'This page crashed' });
    await crashed.getByText('TypeError').waitFor();
    expect(await window.violations()).toEqual([]);
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('link', { name: 'Talk' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    await window.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 400],
  ] as const)(
    'of the whole window says what happened and loses nothing (%s, %i px)',
    async (theme, width) => {
      const window = await openWindow(browser, server, { theme, width });
      const { page } = window;
      await openTranscript(server, talk, window);
      const word = `Zanzibar${width} `;
      await page.route('**/v1/transcript/id/*', (route) =>
        route.request().method() === 'PATCH' ? route.abort() : route.continue(),
      );
      await page.locator('[data-w="0"]').dblclick();
      await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type(word);
      await page.keyboard.press('Escape');
      await breakAnswer(window, 'system');
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      const crashed = page.getByRole('alert').filter({ hasText: 'The window crashed' });
      await crashed.getByText('TypeError').waitFor();
      expect(await window.violations()).toEqual([]);
      await page.unrouteAll();
      await crashed.getByRole('button', { name: 'Reload' }).click();
      await page.locator('[data-w="0"]').getByText(word.trim()).waitFor();
      const text = async () => (await server.client.call('getTranscript', { params: { id: talk } })).text;
      await expect.poll(text).toContain(word);
      await window.close();
    },
  );
});
