import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow, untilFonts } from '../support/browser.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';

const LONG_NAME =
  'Professor Dr. Maximiliane von und zu Hohenstein-Wittgenstein, Ministry of Transport '.repeat(2);

describe('small corrections of a transcript', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let page: Page;
  let id: string;

  beforeAll(async () => {
    const started = await startWithStored((dataDir) =>
      storeTalk(dataDir, 'Talk', [
        ['A', 'The Budget of the spring is ?budgeted? here.'],
        ['B', 'Thank you.'],
      ]),
    );
    id = started.stored;
    [server, browser] = [started.server, await borrowBrowser()];
    window = await openWindow(browser, server);
    ({ page } = window);
  });
  beforeEach(async () => {
    await page.goto(`${server.url}/robots.txt`);
    await openTranscript(server, id, window);
  });
  afterAll(async () => {
    expect(window.errors).toEqual([]);
    await browser?.close();
    await discard(server);
  });

  const text = async () => (await server.client.call('getTranscript', { params: { id } })).segments[0]?.text;

  it('selects the uncertain word for editing, so that typing replaces it', async () => {
    await page.keyboard.press('r');
    await page.getByText('Uncertain word 1 of 1').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('budgeted');
    await page.keyboard.type('planned');
    await page.keyboard.press('Enter');
    await expect.poll(text).toBe('The Budget of the spring is planned here.');
    await page.keyboard.press('Escape');
  });

  it('moves and covers nothing when it shows the keys of the editor, which Tab leads to', async () => {
    const split = page.getByRole('button', { name: 'Split here' });
    const next = page.getByRole('article').nth(1);
    for (const width of [400, 1024, 1440]) {
      await page.setViewportSize({ width, height: 820 });
      const before = await next.boundingBox();
      await page.getByRole('article').first().press('Enter');
      await split.waitFor();
      expect(await next.boundingBox()).toEqual(before);
      expect((await split.boundingBox())?.y).toBeGreaterThan((before?.y ?? 0) + (before?.height ?? 0));
      await page.keyboard.press('Tab');
      expect(await split.evaluate((button) => button === document.activeElement)).toBe(true);
      await page.keyboard.press('Escape');
      await split.waitFor({ state: 'detached' });
    }
    await page.setViewportSize({ width: 1280, height: 820 });
  });

  it('leaves the text the most room at 200 % zoom', async () => {
    await page.setViewportSize({ width: 640, height: 410 });
    const box = await page.getByRole('region', { name: 'Text', exact: true }).boundingBox();
    await page.setViewportSize({ width: 1280, height: 820 });
    expect(box?.height).toBeGreaterThan(410 * 0.4);
  });

  it('moves nothing when the server cannot be reached', async () => {
    const first = page.getByRole('article').first();
    const before = await first.boundingBox();
    await page.route('**/v1/events*', (route) => route.abort());
    await page.reload();
    const bar = page.getByRole('alert').filter({ hasText: 'Can’t reach Earshot.' });
    await bar.waitFor();
    await untilFonts(page);
    await expect.poll(() => first.boundingBox()).toEqual(before);
    await page.unroute('**/v1/events*');
    await bar.waitFor({ state: 'detached' });
  });

  it('finds by case and by whole words, and keeps capitals when it replaces', async () => {
    await page.keyboard.press('Control+f');
    const find = page.getByRole('search').filter({ has: page.getByLabel('Replace with') });
    await find.getByRole('searchbox').fill('the');
    await find.getByText('1 of 2').waitFor();
    await find.getByRole('button', { name: 'Match case' }).click();
    await find.getByText('1 of 1').waitFor();
    await find.getByRole('button', { name: 'Match case' }).click();
    await find.getByRole('searchbox').fill('budg');
    await find.getByText('1 of 1').waitFor();
    await find.getByRole('button', { name: 'Whole words' }).click();
    await find.getByText('None').waitFor();
    expect(await window.violations()).toEqual([]);
    await find.getByRole('searchbox').fill('budget');
    await find.getByLabel('Replace with').fill('plan');
    await find.getByRole('button', { name: 'Replace all' }).click();
    await expect.poll(text).toBe('The Plan of the spring is planned here.');
    await page.keyboard.press('Escape');
  });

  it('focuses the first choice of the dialogs that S and Ctrl-E open', async () => {
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('type'));
    for (const key of ['s', 'Control+e']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      await expect.poll(focused).toBe('radio');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('undoes a new name, on the page of the transcript and in the library', async () => {
    const stored = async () => (await server.client.call('getTranscript', { params: { id } })).name;
    await page.getByRole('button', { name: 'Talk', exact: true }).click();
    await page.keyboard.type('Budget talk');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toBe('Budget talk');
    await page.getByRole('heading', { name: 'Budget talk' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.getByRole('heading', { name: 'Talk', exact: true }).waitFor();
    await expect.poll(stored).toBe('Talk');
    await page.keyboard.press('Control+y');
    await expect.poll(stored).toBe('Budget talk');
    await window.go('#/');
    await page.getByRole('link', { name: 'Budget talk' }).press('F2');
    await page.keyboard.type('Talk of Monday');
    await window.holdingToasts(async () => {
      await page.keyboard.press('Enter');
      await window.toast('Renamed to “Talk of Monday”').waitFor();
      await page.getByRole('link', { name: 'Talk of Monday' }).focus();
      await page.keyboard.press('Control+z');
    });
    await expect.poll(stored).toBe('Budget talk');
    await page.getByRole('link', { name: 'Budget talk' }).waitFor();
  });

  it('cuts a long speaker name with an ellipsis, and shows shares of the talk time', async () => {
    await server.client.call('patchTranscript', {
      params: { id },
      body: { speakers: { A: { name: LONG_NAME.trim() } } },
    });
    await openTranscript(server, id, window);
    await page.getByRole('tab', { name: 'Speakers' }).click();
    const names = page.getByRole('button', { name: LONG_NAME.trim() });
    await expect.poll(() => names.count()).toBe(2);
    for (const name of await names.all()) {
      const { overflow, cut, lines } = await name.evaluate((element) => ({
        overflow: getComputedStyle(element).textOverflow,
        cut: element.scrollWidth - element.clientWidth,
        lines:
          element.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(element).lineHeight),
      }));
      expect(overflow).toBe('ellipsis');
      expect(cut).toBeGreaterThan(0);
      expect(lines).toBeLessThan(1.5);
    }
    const widths = await page
      .locator('[data-talk]')
      .evaluateAll((bars) => bars.map((bar) => (bar.firstElementChild?.clientWidth ?? 0) / bar.clientWidth));
    // 8 of 10 words, and 2.
    expect(widths[0]).toBeCloseTo(0.8, 1);
    expect(widths[1]).toBeCloseTo(0.2, 1);
    expect(await window.violations()).toEqual([]);
  });
});
