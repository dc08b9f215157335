import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, type TestServer } from '../support/server.ts';
import { startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';

describe('a crash in the window', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let talk: string;

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => storeTalk(dataDir, 'Talk', [['A', 'Good morning.']]));
    [server, talk, browser] = [started.server, started.stored, await borrowBrowser()];
    window = await openWindow(browser, server);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  /** Answers an operation with a shape that it never has. */
  const breakAnswer = ({ page }: TestWindow, path: string) =>
    page.route(`**/v1/${path}`, (route) => route.fulfill({ json: { success: true, data: {} } }));

  it('of a screen leaves the others', async () => {
    const { page } = window;
    await breakAnswer(window, 'keys*');
    await page.goto(`${server.url}/#/api`);
    const crashed = page.getByRole('alert').filter({ hasText: 'This page crashed' });
    await crashed.getByText('TypeError').waitFor();
    const inThemes = () => window.violations('all');
    expect(await inThemes()).toEqual([]);
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('link', { name: 'Talk' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('link', { name: 'API' }).click();
    await page.getByRole('heading', { name: 'API', level: 1 }).waitFor();
  });

  it('of the whole window says what happened and loses nothing', async () => {
    const { page } = window;
    await window.go(`#/transcript/${talk}`);
    await page.route('**/v1/transcript/id/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await page.locator('[data-w="0"]').dblclick();
    await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Zanzibar ');
    await page.keyboard.press('Escape');
    await breakAnswer(window, 'system');
    page.on('dialog', (dialog) => void dialog.accept());
    const crashed = page.getByRole('alert').filter({ hasText: 'The window crashed' });
    // The crash of a screen is checked in the light theme, and this one in the dark.
    await page.setViewportSize({ width: 400, height: 820 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await crashed.getByText('TypeError').waitFor();
    expect(await window.violations('all')).toEqual([]);
    await page.unrouteAll();
    await crashed.getByRole('button', { name: 'Reload' }).click();
    await page.locator('[data-w="0"]').getByText('Zanzibar').waitFor();
    const text = async () => (await server.client.call('getTranscript', { params: { id: talk } })).text;
    await expect.poll(text).toContain('Zanzibar ');
  });
});
