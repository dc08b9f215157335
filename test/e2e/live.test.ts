import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findTestBrowser,
  launchTestBrowser,
  openWindow,
  TEXT_ALONE,
  type TestWindow,
} from '../support/browser.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FAKE_MICROPHONES = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

describe('the live text in the window', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    server = await startServer({ quick: true });
    const heard = join(temporaryFolder(), 'heard.wav');
    // "Good morning, my name is David Clark and I work at Northwind.", then silence.
    await ffmpeg('-i', fixturePath('01-short-note.wav'), '-t', '4.3', '-af', 'apad=pad_dur=60', heard);
    browser = await launchTestBrowser(
      [...FAKE_MICROPHONES, `--use-file-for-fake-audio-capture=${heard}%noloop`],
      findTestBrowser(),
    );
    window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE } });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it('shows words as they are said, on every screen and after a reload, and ends in a transcript', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Record from the microphone' });
    await dialog.getByRole('switch', { name: 'Show the text as you speak' }).waitFor();
    await dialog.getByRole('button', { name: 'Start recording' }).click();
    const words = page.getByRole('region', { name: 'Live text' });
    await words
      .getByText(/morning/i)
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await window.violations()).toEqual([]);

    await page.keyboard.press('m');
    const note = page.getByRole('textbox', { name: /^Note at / });
    await note.fill('Who is 変わる?');
    await page.getByRole('heading', { name: 'Live' }).click();

    await page.keyboard.press('p');
    await page.getByText('Paused').waitFor();
    await page.keyboard.press('l');
    await page
      .getByRole('dialog', { name: 'Large text' })
      .getByText(/morning/i)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Large text' }).waitFor({ state: 'detached' });
    await page.keyboard.press('p');
    await page.getByText('Paused').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Library' }).click();
    await page
      .getByRole('region', { name: 'Live', exact: true })
      .getByRole('button', { name: 'Show' })
      .click();
    await words
      .getByText(/morning/i)
      .first()
      .waitFor();

    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await words
      .getByText(/morning/i)
      .first()
      .waitFor();
    expect(await note.inputValue()).toBe('Who is 変わる?');
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.waitForURL(/#\/transcript\/tr_/);
    await page
      .getByText(/morning/i)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('Who is 変わる?').waitFor();
    expect(window.errors).toEqual([]);
  });
});
