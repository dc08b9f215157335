import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { catalogueLine, starterBytes } from '../support/model-mirror.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, stall, startUrlServer, type UrlServer } from '../support/url-server.ts';

const PRO = 'large-v3-turbo-q8_0';
const PATH = `/mirror/ggml-${PRO}.bin`;

/**
 * A new data folder and no option: what a person has who has just installed Earshot. The New dialog has its
 * analyses off, which have tests of their own.
 */
describe('first start', () => {
  let server: TestServer;
  let mirror: UrlServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    [mirror, server, browser] = await Promise.all([
      startUrlServer(),
      startServer({ args: [], quick: true }),
      borrowBrowser(),
    ]);
    window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE } });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
    await mirror.close();
  });

  const dialog = () => window.page.getByRole('dialog', { name: 'New transcription' });
  const submit = (name: RegExp) => dialog().getByRole('button', { name });

  it('transcribes the sample with what comes with Earshot', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Try it with a sample' }).click();
    await dialog().getByText('0:', { exact: false }).first().waitFor();
    await expect.poll(() => dialog().getByRole('radio', { name: 'Mini' }).isChecked()).toBe(true);
    expect(await window.violations()).toEqual([]);
    await submit(/^Transcribe/).click();
    await page.getByRole('link', { name: 'two-readers' }).waitFor();
    // The first result of all opens by itself.
    const text = page.getByRole('region', { name: 'Text', exact: true });
    await text.getByText('typography', { exact: false }).first().waitFor({ timeout: 150_000 });
  });

  it('says what to do if a missing model cannot be downloaded', async () => {
    const { page } = window;
    await server.client.call('patchSettings', { body: { 'network.offline': true } });
    await window.go('#/');
    await page.getByTestId('file-input').setInputFiles(fixturePath(ONE_SENTENCE));
    await dialog().getByRole('radio', { name: 'Pro' }).click();
    await submit(/^Download and transcribe/).click();
    await dialog().getByText('Offline mode is on', { exact: false }).waitFor();
    await dialog().getByText(`download ggml-${PRO}.bin on another computer`, { exact: false }).waitFor();
    expect(await window.violations()).toEqual([]);
    await dialog().getByRole('link', { name: 'Import a model file' }).click();
    await page.getByRole('button', { name: 'Import a file' }).waitFor();
    await expect.poll(() => dialog().count()).toBe(0);
  });

  it('installs a missing model and goes on by itself', async () => {
    const { page } = window;
    const model = starterBytes();
    await server.client.call('patchSettings', {
      body: {
        'network.offline': false,
        'network.allowPrivateAddresses': true,
        'models.baseUrl': mirror.url('/mirror/'),
        'models.catalogue': [catalogueLine(PRO, model)],
      },
    });
    await window.go('#/');
    await page.reload();
    mirror.set(PATH, stall(model, 9_000_000));
    await page.getByTestId('file-input').setInputFiles(fixturePath(ONE_SENTENCE));
    await dialog().getByRole('radio', { name: 'Pro' }).click();
    await submit(/^Download and transcribe/).click();
    const bar = dialog().getByRole('progressbar', { name: `Download of ${PRO}` });
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(5);
    expect(await window.violations()).toEqual([]);
    // Leaving the dialog pauses the download; what has arrived is kept.
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect
      .poll(
        async () =>
          (await server.client.call('listModels', { query: { catalog: true } })).data.find(
            ({ id }) => id === PRO,
          )?.download,
      )
      .toMatchObject({ state: 'paused' });
    // What is installed is of interest here, not what it recognizes.
    await server.client.call('pauseQueue');
    mirror.set(PATH, file(model));
    await page.getByTestId('file-input').setInputFiles(fixturePath(ONE_SENTENCE));
    await dialog().getByRole('radio', { name: 'Pro' }).click();
    await submit(/^Download and transcribe/).click();
    await page.getByRole('link', { name: '00-one-sentence' }).waitFor();
    await expect.poll(() => dialog().count()).toBe(0);
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect(data.transcriptions[0]).toMatchObject({ name: '00-one-sentence', model: 'pro' });
    // It is installed now, so it is chosen.
    await page.getByTestId('file-input').setInputFiles(fixturePath(ONE_SENTENCE));
    await expect.poll(() => dialog().getByRole('radio', { name: 'Pro' }).isChecked()).toBe(true);
    await submit(/^Transcribe/).waitFor();
    expect(window.errors).toEqual([]);
    expect(window.foreign).toEqual([]);
  });
});
