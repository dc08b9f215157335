import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { voiceChannels } from '../support/voice-channels.ts';

/** Five sentences, of both voices. */
const SECONDS = '13.8';
const PATIENCE = 240_000;
const SOON = { timeout: 90_000 };

describe('channels in the window', { timeout: PATIENCE }, () => {
  let server: TestServer;
  let browser: Browser;
  let remote: UrlServer;
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser, remote] = await Promise.all([
      startServer({ quick: true }),
      borrowBrowser(),
      startUrlServer(),
    ]);
    const options = { ...TEXT_ALONE, diarize: true, speakers: 3, model: 'starter-parakeet' };
    window = await openWindow(browser, server, { prefs: { options } });
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await Promise.all([discard(server), remote.close()]);
  });

  it('are kept apart by one switch, in place of speaker labels', async () => {
    const { page } = window;
    const call = await voiceChannels('02-two-speakers.mp3', { output: ['-t', SECONDS] });
    const url = remote.set('/call.wav', file(readFileSync(call)));
    await window.go('#/library');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    const channels = dialog.getByRole('switch', { name: 'Keep channels apart' });
    const speakers = dialog.getByRole('switch', { name: 'Speakers' });
    await channels.waitFor(SOON);
    await expect.poll(() => speakers.isChecked()).toBe(true);
    await channels.click(SOON);
    await expect.poll(() => speakers.isChecked()).toBe(false);
    await speakers.click(SOON);
    await expect.poll(() => channels.isChecked()).toBe(false);
    await channels.click(SOON);
    expect(await window.violations()).toEqual([]);

    await dialog.getByRole('textbox', { name: /link/i }).fill(url, SOON);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    const transcript = await until(async () => {
      const { data } = await server.client.call('listTranscripts', { query: { status: 'completed' } });
      const id = data.transcriptions[0]?.id;
      return id === undefined ? undefined : server.client.call('getTranscript', { params: { id } });
    }, PATIENCE);
    expect(transcript).toMatchObject({ channels: 2, speakers: { A: {}, B: {} } });
    await window.go(`#/transcript/${transcript.id}`);
    await page.keyboard.press('a');
    const again = page.getByRole('dialog', { name: 'Analyze again' });
    await again.getByRole('switch', { name: 'Summary' }).waitFor(SOON);
    expect(await again.getByRole('switch', { name: 'Speakers' }).count()).toBe(0);
    expect(window.errors).toEqual([]);
  });
});
