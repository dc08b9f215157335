import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { segmentOf, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';

const SAID = [
  ['en', 'Where', 'were', 'you', 'born?'],
  ['de', 'In', 'Köln,', 'im', 'Winter.', 'Es', 'war', 'kalt.', 'Sehr.'],
  ['en', 'I', 'see', 'that', 'now.'],
] as const;

describe('a transcript in two languages', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let id: string;

  beforeAll(async () => {
    const { server: started, stored } = await startWithStored((dataDir) => {
      let from = 0;
      const segments = SAID.map(([language, ...words], index) => {
        const segment = { ...segmentOf(index, from, words), language };
        from += words.length;
        return segment;
      });
      return storeTranscript(dataDir, segments, { timestamp_style: 'word' }, { language: 'en' });
    });
    server = started;
    id = stored;
    browser = await borrowBrowser();
    window = await openWindow(browser, server);
    await openTranscript(server, id, window);
  });
  afterAll(async () => {
    expect(window.errors).toEqual([]);
    await browser?.close();
    await discard(server);
  });

  it('has the shares in its header and the other language beside its paragraph', async () => {
    const { page } = window;
    await expect
      .poll(() => page.locator('header').filter({ hasText: 'words' }).textContent())
      .toMatch(/German 50\s?%, English 50\s?%/);
    const paragraphs = page.getByRole('article');
    await expect.poll(() => paragraphs.count()).toBe(3);
    expect(await paragraphs.nth(1).locator('header').textContent()).toContain('German');
    expect(await paragraphs.nth(0).locator('header').textContent()).not.toContain('English');
  });

  it('says the language of each text to screen readers and the spell checker', async () => {
    const { page } = window;
    const paragraphs = page.getByRole('article');
    expect(
      await paragraphs.locator('p').evaluateAll((all) => all.map((each) => each.getAttribute('lang'))),
    ).toEqual(['en', 'de', 'en']);
    await page.locator('[data-w="4"]').dblclick();
    const editor = page.getByRole('textbox', { name: 'Text of this paragraph' });
    await editor.waitFor();
    expect(
      await editor.locator('span').evaluateAll((all) => all.map((each) => each.getAttribute('lang'))),
    ).toEqual(['de']);
  });

  it('keeps the language of a corrected segment, in the answer and in every export', async () => {
    const body = { segments: [{ id: 1, text: 'In Bonn, im Winter. Es war kalt. Sehr.' }] };
    const { segments, languages } = await server.client.call('patchTranscript', { params: { id }, body });
    expect(segments.map(({ language }) => language)).toEqual(['en', 'de', 'en']);
    expect(languages).toHaveLength(2);
    const vtt = await (await server.fetch(`/v1/transcript/id/${id}/export?format=vtt`)).text();
    expect(vtt).toContain('<lang de>In Bonn');
    await server.client.call('undoEdit', { params: { id }, body: {} });
    const { segments: before } = await server.client.call('getTranscript', { params: { id } });
    expect(before[1]).toMatchObject({ language: 'de', text: 'In Köln, im Winter. Es war kalt. Sehr.' });
  });
});
