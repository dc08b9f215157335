import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { breadth } from '../support/breadth.ts';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk, type Turn } from '../support/written-talk.ts';

const TALK: readonly Turn[] = [
  ['A', 'Good morning and welcome to the meeting.', 'We begin with the budget of the spring.'],
  ['B', 'Thank you, the budget is ready.'],
  ['A', 'Then we can decide today.'],
];
const NAMES = ['speakers', 'toast', 'merge', 'elsewhere', 'quick'] as const;

describe('Undo and Redo of a transcript', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => {
      for (const name of NAMES) ids.set(name, storeTalk(dataDir, name, TALK));
    });
    [server, browser] = [started.server, await borrowBrowser()];
    window = await openWindow(browser, server);
  });
  afterAll(async () => {
    expect(window.errors).toEqual([]);
    await browser?.close();
    await discard(server);
  });

  type Name = (typeof NAMES)[number];
  const open = (name: Name) => openTranscript(server, ids.get(name) ?? '', window);
  const stored = (name: Name) => server.client.call('getTranscript', { params: { id: ids.get(name) ?? '' } });
  const button = (name: 'Undo' | 'Redo') =>
    window.page.getByRole('main').getByRole('button', { name, exact: true });
  const labels = () =>
    window.page
      .getByRole('article')
      .getByRole('button', { name: /^Speaker [A-Z]$/ })
      .allTextContents();
  const untilLabels = (expected: string) =>
    expect.poll(labels).toEqual(expected.split(' ').map((label) => `Speaker ${label}`));
  const typeFirst = async (text: string) => {
    const { page } = window;
    await page.getByRole('article').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
    await page.keyboard.press('Control+Home');
    // At once: a pause between two keys would make two edits of it.
    await page.keyboard.insertText(text);
    // Escape would close a toast as well.
    await page.keyboard.press('Enter');
    await page.locator('[data-w="0"]').getByText(text.trim()).waitFor();
  };
  /** Gives the words from the third on to speaker B: their segment is split. */
  const splitFirstParagraph = async () => {
    const { page } = window;
    await page.getByRole('article').first().focus();
    await page.keyboard.press('s');
    const first = page.getByRole('combobox', { name: 'From the word' });
    await first.click();
    await page.getByRole('option', { name: /^and ·/ }).click();
    await page.getByRole('radio', { name: 'Speaker B' }).check();
    await page.getByRole('button', { name: 'Change speaker' }).click();
  };

  it('are offered above the text also for speakers whose change splits a segment', async () => {
    const { page } = window;
    await open('speakers');
    expect(await button('Undo').count()).toBe(0);
    await typeFirst('Zanzibar ');
    await splitFirstParagraph();
    await untilLabels('A B A');
    await expect.poll(async () => (await stored('speakers')).segments.length).toBe(5);
    await button('Undo').click();
    await expect.poll(async () => (await stored('speakers')).segments.length).toBe(4);
    await expect.poll(() => button('Undo').isEnabled()).toBe(true);
    await button('Redo').click();
    await expect.poll(async () => (await stored('speakers')).segments.length).toBe(5);
    await expect.poll(() => button('Redo').isDisabled()).toBe(true);

    // What was edited before the page was opened, down to the text that was typed first.
    await page.reload();
    await button('Undo').click();
    await expect.poll(async () => (await stored('speakers')).segments.length).toBe(4);
    await button('Undo').click();
    await expect.poll(async () => (await stored('speakers')).text).toMatch(/^Good morning/);
    await expect.poll(() => button('Undo').isDisabled()).toBe(true);
    expect(await window.violations('all')).toEqual([]);
  });

  it('go from a toast when another change follows', async () => {
    await open('toast');
    const toast = window.toast('Speaker changed.');
    // A toast that is held does not go by itself.
    await window.holdingToasts(async () => {
      await splitFirstParagraph();
      await toast.waitFor();
      await typeFirst('Zanzibar ');
      await toast.waitFor({ state: 'detached' });
    });

    await open('merge');
    await window.page.getByRole('tab', { name: 'Speakers' }).click();
    const row = window.page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'Speaker B' });
    await row.getByRole('button', { name: 'Merge with another speaker' }).click();
    const merged = window.toast('Speaker B is now Speaker A.');
    await window.holdingToasts(async () => {
      await window.page.getByRole('menuitem', { name: 'Merge into Speaker A' }).click();
      await merged.waitFor();
      await typeFirst('Quixotic ');
      await merged.waitFor({ state: 'detached' });
    });
  });

  // `npm test` has an edit of another window in transcript-edit.test.ts.
  if (breadth(false, true))
    it('leave what another window edited', async () => {
      const { page } = window;
      await open('elsewhere');
      await server.client.call('patchTranscript', {
        params: { id: ids.get('elsewhere') ?? '' },
        body: { segments: [{ id: 0, text: 'Written elsewhere.' }] },
      });
      await page.locator('[data-w="0"]').getByText('Written').waitFor();
      expect(await button('Undo').count()).toBe(0);
      await page.keyboard.press('Control+z');
      // A speaker's name is saved after anything that Ctrl-Z began.
      await page.getByRole('article').getByRole('button', { name: 'Speaker B' }).first().click();
      await page.getByRole('textbox', { name: 'Name of this speaker' }).fill('Maria');
      await page.keyboard.press('Enter');
      await expect.poll(async () => (await stored('elsewhere')).speakers?.B?.name).toBe('Maria');
      expect((await stored('elsewhere')).segments[0]?.text).toBe('Written elsewhere.');
      await page.keyboard.press('Control+z');
      await expect.poll(async () => (await stored('elsewhere')).speakers?.B?.name).toBe('Speaker B');
      await page.keyboard.press('Control+z');
      await page.reload();
      await page.locator('[data-w="0"]').waitFor();
      expect((await stored('elsewhere')).segments[0]?.text).toBe('Written elsewhere.');
    });

  it('end where nothing is left, without an error', async () => {
    const { page } = window;
    await open('quick');
    await typeFirst('Zanzibar ');
    await expect.poll(async () => (await stored('quick')).text).toMatch(/^Zanzibar/);
    for (let step = 0; step < 3; step++) await page.keyboard.press('Control+z');
    await expect.poll(async () => (await stored('quick')).text).toMatch(/^Good morning/);
    await page.keyboard.press('Control+y');
    await expect.poll(async () => (await stored('quick')).text).toMatch(/^Zanzibar/);
    expect(await page.locator('[data-toast]').allTextContents()).toEqual([]);
  });
});
