import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { storeTalk, type Turn } from '../support/written-talk.ts';

const TALK: readonly Turn[] = [
  ['A', 'Good morning and welcome to the meeting.', 'We begin with the budget of the spring.'],
  ['B', 'Thank you, the budget is ready.'],
  ['A', 'Then we can decide today.'],
];

describe('editing a transcript', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  /** A transcript for each test, by its name. */
  const ids = new Map<string, string>();

  beforeAll(async () => {
    server = await startServer();
    await server.stop();
    for (const name of ['toast']) ids.set(name, storeTalk(server.dataDir, name, TALK));
    [server, browser] = await Promise.all([startServer({ dataDir: server.dataDir }), borrowBrowser()]);
    window = await openWindow(browser, server);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const stored = (name: string) =>
    server.client.call('getTranscript', { params: { id: ids.get(name) ?? '' } });
  const open = async (name: string, page: Page = window.page) => {
    await page.goto(`${server.url}/#/transcript/${ids.get(name)}`);
    await page.locator('[data-w="0"]').waitFor();
  };
  const words = (page: Page = window.page) => page.locator('[data-w]').allTextContents();
  const field = (page: Page = window.page) => page.getByRole('textbox', { name: 'Text of this paragraph' });
  /** Types before the first word of the transcript and ends editing. */
  const typeFirst = async (text: string) => {
    await window.page.locator('[data-w="0"]').dblclick();
    await field().waitFor();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.type(text);
    await window.page.keyboard.press('Escape');
    await window.page.locator('[data-w="0"]').getByText(text.trim()).waitFor();
  };

  it('keeps one history: the Undo of a toast goes with its change', async () => {
    const { page } = window;
    await open('toast');
    await typeFirst('Zanzibar ');
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find in transcript' }).fill('budget');
    await page.getByRole('textbox', { name: 'Replace with' }).fill('plan');
    const replaceAll = page.getByRole('button', { name: 'Replace all' });
    const toast = window.toast('2 places replaced');
    await replaceAll.click();
    await toast.waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
    await toast.waitFor({ state: 'detached' });
    expect(await words()).toEqual(expect.arrayContaining(['Zanzibar', 'budget']));

    // While it is the last change, the toast takes it back.
    await replaceAll.click();
    await toast.getByRole('button', { name: 'Undo' }).click();
    await toast.waitFor({ state: 'detached' });
    const texts = await words();
    expect(texts).toEqual(expect.arrayContaining(['Zanzibar', 'budget']));
    expect(texts).not.toContain('plan');
    await expect.poll(async () => (await stored('toast')).text).toMatch(/^Zanzibar .*budget/s);
  });

  it('does not undo an edit of another window', async () => {
    const { page } = window;
    await open('toast');
    await typeFirst('Quixotic ');
    await page.getByText('Saved', { exact: true }).waitFor();
    await server.client.call('patchTranscript', {
      params: { id: ids.get('toast') ?? '' },
      body: { segments: [{ id: 0, text: 'Written elsewhere.' }] },
    });
    await page.locator('[data-w="0"]').getByText('Written').waitFor();
    await page.keyboard.press('Control+z');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await words()).slice(0, 2)).toEqual(['Written', 'elsewhere.']);
  });

  it('made no requests to other hosts and logged no errors', () => {
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
