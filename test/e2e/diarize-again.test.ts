import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { transcribeFixture } from '../support/transcribe.ts';

/** Five paragraphs of two speakers. */
const SECONDS = '16.2';
const PATIENCE = 240_000;

describe('speakers that are identified again from a place on', { timeout: PATIENCE }, () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let id: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({ quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
    ]);
    const talk = join(temporaryFolder(), 'talk.wav');
    await ffmpeg('-i', fixturePath('02-two-speakers.mp3'), '-t', SECONDS, '-ac', '1', talk);
    id = await transcribeFixture(server, talk, undefined, { diarize: true });
    window = await openWindow(browser, server, { at: `#/transcript/${id}` });
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const read = () => server.client.call('getTranscript', { params: { id } });
  const labels = async () => (await read()).segments.map(({ speaker_id }) => speaker_id).join('');
  const dialog = () => window.page.getByRole('dialog', { name: 'Identify speakers again' });

  it('are as many as one says, by keyboard alone, and come back with Ctrl Z', async () => {
    const { page } = window;
    const before = await labels();
    expect(new Set(before).size).toBe(2);
    const articles = page.getByRole('article');
    await articles.nth(2).focus();
    await page.keyboard.press('Shift+S');
    await dialog().waitFor();
    expect(await window.violations()).toEqual([]);
    const from = await dialog().getByRole('combobox', { name: 'From' }).textContent();
    expect(from).toMatch(/^\d+:\d\d · \w/);
    await dialog().getByRole('combobox', { name: 'Speakers' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: '1 person', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('[role="option"][data-highlighted]', { hasText: '1 person' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    await dialog().getByRole('button', { name: 'Identify speakers' }).focus();
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await window.toasted('Analyzed', { timeout: PATIENCE });
    const after = await labels();
    expect(after).not.toBe(before);
    // Two paragraphs stay as they were; everything after is one voice.
    const kept = [...before].findIndex((label, index) => label !== after[index]);
    expect(after.slice(0, kept)).toBe(before.slice(0, kept));
    expect(new Set(after.slice(kept)).size).toBe(1);
    await expect.poll(() => articles.count()).toBeLessThan(before.length);

    await page.keyboard.press('Control+z');
    await expect.poll(labels).toBe(before);
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(labels).toBe(after);
    await page.keyboard.press('Control+z');
    await expect.poll(labels).toBe(before);
  });

  it('are offered beside adding and merging, and from the beginning', async () => {
    const { page } = window;
    const before = await labels();
    await page.getByRole('tab', { name: 'Speakers' }).click();
    await page.getByRole('button', { name: 'Identify speakers again from here' }).click();
    await dialog().getByRole('combobox', { name: 'From' }).click();
    await page.getByRole('option', { name: 'The beginning' }).click();
    await dialog().getByRole('combobox', { name: 'Speakers' }).click();
    await page.getByRole('option', { name: '1 person', exact: true }).click();
    await window.holdingToasts(async () => {
      await dialog().getByRole('button', { name: 'Identify speakers' }).click();
      await expect.poll(labels, { timeout: PATIENCE }).toMatch(/^A+$/);
      await window.toast('Analyzed').getByRole('button', { name: 'Undo' }).click();
    });
    await expect.poll(labels).toBe(before);
    expect(window.errors).toEqual([]);
  });
});
