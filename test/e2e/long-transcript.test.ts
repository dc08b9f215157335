import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { segmentOf, spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { startWithStored } from '../support/stored-transcripts.ts';

const spoken = spokenFor(1);
const words = spoken.flatMap((segment) => segment.words);
/** Found in no other sentence. */
const last = segmentOf(spoken.length, words.length, ['Thank', 'you,', 'Quetzalcoatl.']);

describe('an hour of speech', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let page: Page;
  let id: string;

  beforeAll(async () => {
    const started = await startWithStored((dataDir) =>
      storeTranscript(dataDir, [...spoken, last], { timestamp_style: 'word', name: 'An hour' }),
    );
    [server, id, browser] = [started.server, started.stored, await borrowBrowser()];
    window = await openWindow(browser, server);
    ({ page } = window);
  });
  afterAll(async () => {
    expect(window.errors).toEqual([]);
    await browser?.close();
    await discard(server);
  });

  it('is answered with the words of the part that was asked for', async () => {
    const whole = await server.client.call('getTranscript', { params: { id } });
    const part = await server.client.call('getTranscript', {
      params: { id },
      query: { words_from: 600, words_to: 660 },
    });
    const isNear = ({ start, end }: { start: number; end: number }) => end > 600 && start < 660;
    expect(part).toEqual({
      ...whole,
      segments: whole.segments.map((segment) => {
        const { words: _, ...rest } = segment;
        return isNear(segment) ? segment : rest;
      }),
    });
  });

  it('is read, searched and edited with a third of its bytes, and gets the rest afterwards', async () => {
    let sendRest = () => {};
    const held = new Promise<void>((done) => {
      sendRest = done;
    });
    const sizes: number[] = [];
    await page.route(`**/v1/transcript/id/${id}*`, async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      if (!route.request().url().includes('words_to')) await held;
      const response = await route.fetch();
      const body = await response.body();
      sizes.push(body.length);
      await route.fulfill({ response, body });
    });
    const place = words.findIndex(({ start }) => start >= 1800);
    await page.goto(`${server.url}/#/transcript/${id}?t=1800`);
    const word = page.locator(`[data-w="${place}"]`);
    await word.waitFor();
    expect(await word.textContent()).toBe(words[place]?.word);
    expect(sizes).toHaveLength(1);
    await page.keyboard.press('Control+f');
    const find = page.getByRole('search').filter({ has: page.getByLabel('Replace with') });
    await find.getByRole('searchbox').fill('quetzalcoatl');
    await find.getByText('1 of 1').waitFor();
    await page.locator('.w.hit.now', { hasText: 'Quetzalcoatl.' }).waitFor();
    await find.getByLabel('Replace with').fill('Xochitl');
    await find.getByRole('button', { name: 'Replace all' }).click();
    await window.toasted('1 replaced');
    const stored = await server.client.call('getTranscript', { params: { id } });
    expect(stored.segments.at(-1)?.text).toBe('Thank you, Xochitl.');
    await page.keyboard.press('Escape');
    sendRest();
    await expect.poll(() => sizes.length).toBe(2);
    expect(sizes[0]).toBeLessThan((sizes[1] ?? 0) / 3);
    await page.unroute(`**/v1/transcript/id/${id}*`);
    await page.getByRole('article').filter({ hasText: 'Xochitl' }).waitFor();
  });
});
