import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { storeTalk } from '../support/written-talk.ts';

describe('player and places of a transcript', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let talk: string;

  beforeAll(async () => {
    server = await startServer();
    await server.stop();
    talk = storeTalk(
      server.dataDir,
      'Talk',
      [
        ['A', 'Good morning, the spring budget is late.'],
        ['B', 'Then we talk about the spring budget first.'],
      ],
      { topics: ['Finance'], key_phrases: ['spring budget'] },
    );
    [server, browser] = await Promise.all([startServer({ dataDir: server.dataDir }), borrowBrowser()]);
    window = await openWindow(browser, server);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const open = async () => {
    await window.page.goto(`${server.url}/#/transcript/${talk}`);
    await window.page.locator('[data-w="0"]').waitFor();
  };

  it('restores the volume when it is unmuted, also after a reload', async () => {
    const { page } = window;
    await open();
    const volume = page.getByRole('slider', { name: 'Volume' });
    await volume.fill('0.4');
    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    expect(await volume.inputValue()).toBe('0');
    await page.reload();
    await page.getByRole('button', { name: 'Unmute' }).click();
    expect(await volume.inputValue()).toBe('0.4');
    await volume.fill('0');
    await page.getByRole('button', { name: 'Unmute' }).click();
    expect(await volume.inputValue()).toBe('0.4');
  });

  it.each([1280, 400])('finds the places of a key phrase one after the other, %i px', async (width) => {
    const sized = await openWindow(browser, server, { width });
    const { page } = sized;
    await page.goto(`${server.url}/#/transcript/${talk}`);
    const chip = page.getByRole('tabpanel').getByRole('button', { name: 'spring budget' });
    for (const [position, word] of [
      ['1 of 2', 3],
      ['2 of 2', 12],
      ['1 of 2', 3],
    ] as const) {
      if (width === 400) await page.getByRole('button', { name: 'Show what was found' }).click();
      await chip.click();
      await page.getByText(position, { exact: true }).waitFor();
      await page.locator(`[data-w="${word}"].hit.now`).waitFor();
    }
    await sized.close();
  });

  it('proposes the nearest word where a search finds nothing', async () => {
    const { page } = window;
    await window.go('#/');
    await page.getByRole('searchbox').fill('spring bugdet');
    const suggestion = page.getByRole('button', { name: 'Did you mean “spring budget”?' });
    await suggestion.waitFor();
    expect(await window.violations()).toEqual([]);
    await suggestion.press('Enter');
    await page.getByRole('region', { name: 'Search results' }).locator('mark').first().waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('spring budget');
    await page.getByRole('searchbox').fill('');
  });

  it('made no requests to other hosts and logged no errors', () => {
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
