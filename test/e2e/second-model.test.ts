import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { noisyWav } from '../support/noisy.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

/** Of the note: enough for words that the two models hear differently. */
const HEARD_SECONDS = 10;
const PATIENCE = 240_000;
const SOON = { timeout: 90_000 };

describe('hearing twice in the window', { timeout: PATIENCE }, () => {
  let server: TestServer;
  let browser: Browser;
  let remote: UrlServer;
  let window: TestWindow;
  let id: string;

  const stored = () => server.client.call('getTranscript', { params: { id } });

  beforeAll(async () => {
    [server, browser, remote] = await Promise.all([
      startServer({ quick: true }),
      borrowBrowser(),
      startUrlServer(),
    ]);
    const audio_url = remote.set('/note.wav', file(noisyWav('01-short-note.wav', 0, 1, HEARD_SECONDS)));
    ({ id } = await server.client.call('createTranscript', {
      body: {
        audio_url,
        model: 'starter-parakeet',
        verify_with: 'starter',
        language: 'en',
        timestamp_style: 'word',
        wait_until_complete: true,
      },
    }));
    window = await openWindow(browser, server, {
      prefs: { options: TEXT_ALONE },
      at: `#/transcript/${id}`,
    });
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await Promise.all([discard(server), remote.close()]);
  });

  it('reviews first what the other model heard otherwise, and takes it with one key', async () => {
    const { page } = window;
    await page.locator('[data-w="0"]').waitFor(SOON);
    const before = (await stored()).text;
    await page.keyboard.press('r');
    const review = page.getByRole('region', { name: 'Review' });
    const status = review.getByRole('status');
    await review.getByText(/^Demonstration model heard/).waitFor(SOON);
    const count = Number(/of (\d+)/.exec((await status.textContent()) ?? '')?.[1]);
    expect(count).toBeGreaterThan(1);

    const text = page.getByRole('region', { name: 'Text' }).getByRole('feed');
    const shown = await text.textContent();
    await page.keyboard.press('o');
    await expect.poll(() => text.textContent(), SOON).not.toBe(shown);
    await expect.poll(async () => (await stored()).text, SOON).not.toBe(before);
    await expect.poll(() => status.textContent(), SOON).toContain(`of ${count - 1}`);

    await page.keyboard.press('Control+z');
    await expect.poll(() => text.textContent(), SOON).toBe(shown);
    await expect.poll(async () => (await stored()).text, SOON).toBe(before);
    expect(await window.violations()).toEqual([]);
  });

  it('offers a second model for a new transcription', async () => {
    const { page } = window;
    await window.go('#/library');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    await dialog.waitFor(SOON);
    const choice = dialog.getByRole('combobox', { name: 'Check with a second model' });
    await choice.click(SOON);
    await page.getByRole('option', { name: /Parakeet/ }).click(SOON);
    await dialog.getByText(/recognizes the recording again/).waitFor(SOON);
    expect(await window.violations()).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
