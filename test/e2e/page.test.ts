import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow } from '../support/browser.ts';
import { ensurePrograms } from '../support/debian.ts';
import { describedPage } from '../support/described-page.ts';
import { fixture, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

const available = ensurePrograms(['yt-dlp'], ['yt-dlp']);

describe.skipIf(!available)('recording found in a web page', () => {
  let server: TestServer;
  let browser: Browser;
  let urls: UrlServer;

  beforeAll(async () => {
    [server, browser, urls] = await Promise.all([
      startServer({ quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
      startUrlServer(),
    ]);
    await server.client.call('patchSettings', { body: { 'network.pages': true } });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
    await urls.close();
  });

  it('shows the page and its chapters, and plays a chapter', async () => {
    const sound = urls.set('/note.wav', file(fixture(ONE_SENTENCE), { type: 'audio/wav' }));
    const audio_url = urls.set(
      '/page',
      file(Buffer.from(describedPage(sound, 2)), { type: 'text/html; charset=utf-8' }),
    );
    const made = await server.client.call('createTranscript', {
      body: { audio_url, timestamp_style: 'word', wait_until_complete: true },
    });
    expect(made.error).toBeUndefined();
    // Slowly, since the recording has seconds left.
    const window = await openWindow(browser, server, { prefs: { rate: 0.5 }, at: `#/transcript/${made.id}` });
    await window.settle();
    await window.page.getByRole('tab', { name: 'Details' }).click();
    const link = window.page.getByRole('link', { name: 'A note on time' });
    expect(await link.getAttribute('href')).toBe(audio_url);
    expect(await window.violations()).toEqual([]);
    const rest = window.page.getByRole('listitem').filter({ hasText: 'The rest' });
    await rest.getByRole('button', { name: 'Play from 0:02' }).click();
    await window.page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    const spoken = window.page.locator('.w.play').first();
    await expect.poll(async () => Number(await spoken.getAttribute('data-w'))).toBeGreaterThan(2);
    expect(window.errors).toEqual([]);
    await window.close();
  });
});
