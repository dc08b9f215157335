import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Of the stand-up's 45 s: where its second half begins. */
const FROM_SECONDS = '20.2';

// Generous, for a busy machine.
const RECOGNISE = 220_000;

describe('a recording from upload to deletion', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({ quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
    ]);
    window = await openWindow(browser, server, { prefs: { options: { diarize: false } } });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it('uploads a file with the chosen analyses and starts its job', async () => {
    const { page } = window;
    const recording = join(temporaryFolder(), 'stand-up.wav');
    await ffmpeg('-ss', FROM_SECONDS, '-i', fixturePath('02-two-speakers.mp3'), '-ac', '1', recording);
    await page.getByTestId('file-input').setInputFiles(recording);
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    await dialog.getByText('0:24', { exact: false }).first().waitFor();
    await expect.poll(() => dialog.getByRole('slider').count()).toBe(2);
    await dialog.getByRole('button', { name: /^Transcribe/ }).click();
    await page.getByRole('progressbar').first().waitFor();
    await page.getByRole('link', { name: 'stand-up' }).waitFor();
  });

  it('shows partial text while transcribing, and the whole text at the end', async () => {
    const { page } = window;
    await page.getByRole('link', { name: 'stand-up' }).click();
    await page.getByRole('region', { name: 'Text', exact: true }).waitFor({ timeout: RECOGNISE });
    await page.locator('[data-w]').first().waitFor();
    const text = await page.getByRole('region', { name: 'Text', exact: true }).textContent();
    expect(text).toMatch(/In\s+my\s+opinion/);
  });

  it('plays a clicked word and highlights the playing word', async () => {
    const { page } = window;
    await page.locator('[data-w="12"]').click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    // Each word for a moment: which one a busy test sees is chance, that they follow each other is not.
    await page.waitForFunction(
      () => Number(document.querySelector('[data-w].play')?.getAttribute('data-w')) > 12,
    );
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const box = await page.getByRole('slider', { name: 'Position' }).boundingBox();
    expect(box).not.toBeNull();
    await page
      .getByRole('slider', { name: 'Position' })
      .click({ position: { x: (box?.width ?? 0) / 2, y: 20 } });
    const seconds = async () =>
      Number(await page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuenow'));
    await expect.poll(seconds).toBeGreaterThan(11);
    expect(await seconds()).toBeLessThan(14);
  });

  it('keeps an edit over a reload in the middle of it, with undo', async () => {
    const { page } = window;
    // The text has followed playback to the middle of the recording: go back to its start.
    await page.getByRole('slider', { name: 'Position' }).press('Home');
    await page.locator('[data-w="2"]').dblclick();
    const editor = page.getByRole('textbox', { name: 'Text of this paragraph' });
    await editor.waitFor();
    await page.keyboard.press('Control+Home');
    const saved = page.waitForResponse((each) => each.request().method() === 'PATCH' && each.ok());
    await page.keyboard.type('Zanzibar ');
    await saved;
    await page.reload();
    await page.getByText('Zanzibar').first().waitFor();

    await page.locator('[data-w="3"]').dblclick();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Quixotic ');
    await page.keyboard.press('Escape');
    await page.getByText('Quixotic').waitFor();
    const undone = page.waitForResponse((each) => each.url().endsWith('/undo') && each.ok());
    await page.keyboard.press('Control+z');
    await page.locator('.w', { hasText: 'Quixotic' }).waitFor({ state: 'detached' });
    await undone;
  });

  it('marks entities in the text, and plays from a summary', async () => {
    const { page } = window;
    await page.getByRole('tab', { name: 'Mentions' }).click();
    await page.locator('mark.ent').first().waitFor();
    await page.getByRole('tab', { name: 'Summary' }).click();
    const time = page
      .getByRole('tabpanel')
      .getByRole('button', { name: /^Play from/ })
      .first();
    await time.click();
    await page.locator('.w.play').waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
  });

  it('finds and replaces all matches', async () => {
    const { page } = window;
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find in transcript' }).fill('the notes');
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await expect.poll(() => page.locator('.w.hit').count()).toBe(4);
    await page.getByRole('textbox', { name: 'Replace with' }).fill('the minutes');
    await page.getByRole('button', { name: 'Replace all' }).click();
    await window.toasted('2 replaced');
    await page.keyboard.press('Escape');
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    const id = data.transcriptions[0]?.id ?? '';
    await expect
      .poll(async () => (await server.client.call('getTranscript', { params: { id } })).text)
      .toContain('the minutes');
  });

  it('exports what the preview shows', async () => {
    const { page } = window;
    await page.keyboard.press('Control+e');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByText('SRT', { exact: true }).click();
    await dialog.getByText('-->', { exact: false }).first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save as SRT' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.srt$/);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toMatch(/\d{2}:\d{2}:\d{2},\d{3} --> \d{2}/);
    expect(text).toContain('Zanzibar');
  });

  it('searches all transcripts and opens a hit at its time', async () => {
    const { page } = window;
    await page.getByRole('link', { name: 'Back to the library' }).click();
    await page.getByRole('searchbox', { name: 'Search all transcripts' }).fill('responsible');
    const hit = page.getByRole('region', { name: 'Search results' }).getByRole('link').nth(1);
    await hit.waitFor();
    expect(await hit.locator('mark').textContent()).toBe('responsible');
    await hit.click();
    await page.locator('.w.play').waitFor();
    expect(page.url()).toMatch(/\?t=\d/);
  });

  it('renames in place, undoes a deletion, and deletes', async () => {
    const { page } = window;
    await window.go('#/');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('row').getByRole('link', { name: 'stand-up' }).focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('Stand-up of Monday');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Stand-up of Monday' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Stand-up of Monday' }).focus();
    await window.holdingToasts(async () => {
      await page.keyboard.press('Delete');
      await page.getByRole('link', { name: 'Stand-up of Monday' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).last().click();
    });
    // Toasts wait while the pointer rests on them, where it clicked.
    await page.mouse.move(0, 0);
    const listed = async () =>
      (await server.client.call('listTranscripts', { query: { limit: 1 } })).data.transcriptions;
    await expect.poll(async () => (await listed()).length).toBe(1);
    await page.getByRole('link', { name: 'Stand-up of Monday' }).press('Delete');
    await page.getByRole('region', { name: 'First steps' }).waitFor();
    await expect.poll(listed).toEqual([]);
  });

  it('made no requests to other hosts and logged no errors', () => {
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
