import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../electron/contract/transcript.ts';
import {
  type Browser,
  borrowBrowser,
  openWindow,
  type TestWindow,
  violationsInThemes,
} from '../support/browser.ts';
import { fixture } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { openTranscript, selectWords } from '../support/stored-transcripts.ts';

const TOKEN = /\[REDACTED_[0-9a-f]{8}\]/;
const PATIENCE = { timeout: 120_000 };

describe('private words in the window', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let page: Page;
  let id: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({ quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
    ]);
    const form = new FormData();
    const bytes = new Uint8Array(fixture('00-one-sentence.wav'));
    form.append('file', new Blob([bytes], { type: 'audio/wav' }), 'Call.wav');
    const { data } = await server.client.call('uploadFile', { body: form });
    const body = CreateTranscript.parse({
      audio_url: `storage:${data.file.key}`,
      timestamp_style: 'word',
      wait_until_complete: true,
    });
    ({ id } = await server.client.call('createTranscript', { body }));
    window = await openWindow(browser, server);
    ({ page } = window);
  });
  afterAll(async () => {
    expect(window.errors).toEqual([]);
    await browser?.close();
    await discard(server);
  });

  const words = async () => {
    const { segments } = await server.client.call('getTranscript', { params: { id } });
    return segments.flatMap((segment) => segment.words?.map(({ word }) => word) ?? []);
  };

  it('are hidden by hand, in text and sound, after a question', async () => {
    await openTranscript(server, id, window);
    const before = await words();
    const place = before.findIndex((word) => word.startsWith('Clark'));
    await selectWords(page, place, place, 'Hide');
    const dialog = page.getByRole('alertdialog', { name: 'Hide these words for good?' });
    await dialog.getByText('“Clark” leaves the text').waitFor();
    expect(await violationsInThemes(window)).toEqual([]);
    await dialog.getByRole('button', { name: 'Hide' }).click();
    await page.locator('[data-w]', { hasText: TOKEN }).waitFor(PATIENCE);
    await page.getByRole('tab', { name: 'Details' }).click();
    const details = page.getByRole('tabpanel', { name: 'Details' });
    await details.getByText('Chosen by hand (1)').waitFor();
    await details.getByText('1 passage bleeped. Rechecked: none audible.').waitFor();
    expect((await words())[place]).toMatch(TOKEN);
  });

  it('lets the bleeped recording be saved', async () => {
    await page.keyboard.press('Control+e');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByText('Recording', { exact: true }).click();
    await dialog.getByText('with a tone over all that is hidden').waitFor();
    expect(await violationsInThemes(window)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save recording' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Call (redacted).m4a');
    const saved = await readFile(await download.path());
    const played = await (await server.fetch(`/v1/transcript/id/${id}/audio`)).arrayBuffer();
    expect(saved.equals(Buffer.from(played))).toBe(true);
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows a wrong find again', async () => {
    const place = (await words()).findIndex((word) => TOKEN.test(word));
    await selectWords(page, place, place, 'Not private');
    const dialog = page.getByRole('alertdialog', { name: 'Show this again?' });
    await dialog.getByRole('button', { name: 'Show again' }).click();
    await page.locator('[data-w]', { hasText: 'Clark' }).waitFor(PATIENCE);
    expect((await words()).some((word) => TOKEN.test(word))).toBe(false);
  });
});
