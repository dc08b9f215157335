import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribeFixture } from '../support/transcribe.ts';

describe('remembered voice', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let first: string;
  let second: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({ quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
    ]);
    const recording = fixturePath(ONE_SENTENCE);
    first = await transcribeFixture(server, recording, 'First', { diarize: true });
    second = await transcribeFixture(server, recording, 'Second', { diarize: true });
    window = await openWindow(browser, server, { at: `#/transcript/${first}` });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it('is stored when its speaker is named with that choice', async () => {
    const { page } = window;
    await window.settle();
    await page.getByRole('tab', { name: 'Speakers' }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'Speaker A' }).click();
    const sheet = page.getByRole('dialog', { name: 'Name of this speaker' });
    await sheet.getByRole('textbox').fill('María');
    await sheet.getByRole('switch', { name: 'Remember this voice' }).click();
    expect(await window.violations()).toEqual([]);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'María' }).waitFor();
    await expect
      .poll(async () => (await server.client.call('listVoices')).data.map(({ name }) => name))
      .toEqual(['María']);
  });

  it('is suggested in the next recording, and applied by a click only', async () => {
    const { page } = window;
    await window.go(`#/transcript/${second}`);
    await page.getByRole('tab', { name: 'Speakers' }).click();
    await page.getByText('Sounds like María').waitFor();
    expect(await window.violations()).toEqual([]);
    const before = await server.client.call('getTranscript', { params: { id: second } });
    expect(before.speakers?.A?.name).toBe('Speaker A');
    await page.getByRole('button', { name: 'Use the name María' }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'María', exact: true }).waitFor();
    await expect.poll(() => page.getByText('Sounds like').count()).toBe(0);
  });

  it('is listed and forgotten in the settings', async () => {
    const { page } = window;
    await window.go('#/settings/privacy');
    await page.getByText('María').waitFor();
    await page.getByRole('button', { name: 'Forget María' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Forget' }).click();
    await page.getByText('No voices are remembered.').waitFor();
    await expect.poll(async () => (await server.client.call('listVoices')).data).toEqual([]);
  });
});
