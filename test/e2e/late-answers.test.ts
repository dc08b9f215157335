import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { fixture } from '../support/fixtures.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { startWithStored } from '../support/stored-transcripts.ts';

/** Longer than ten minutes: with an overview and a detail. */
const HOURS = 0.2;

/** A button that moves between the press and the release of the mouse loses its click. */
describe('answers that come late', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let long: string;

  beforeAll(async () => {
    const started = await startWithStored((dataDir) =>
      storeTranscript(dataDir, spokenFor(HOURS), { timestamp_style: 'word', name: 'Long' }),
    );
    [server, long, browser] = [started.server, started.stored, await borrowBrowser()];
    window = await openWindow(browser, server);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  /** Holds the answers of an address back until the returned function is called. */
  const hold = async (page: Page, address: string): Promise<() => void> => {
    const gate = Promise.withResolvers<void>();
    await page.route(address, async (route) => {
      await gate.promise;
      await route.continue();
    });
    return gate.resolve;
  };
  const topOf = async (element: Locator) => {
    await element.waitFor();
    // A font that arrives moves what is below its first line.
    await element.page().evaluate(async () => void (await document.fonts.ready));
    return (await element.boundingBox())?.y;
  };

  it('move no button of the files', async () => {
    const { page } = window;
    const release = await hold(page, '**/v1/storage/info');
    await page.goto(`${server.url}/#/files`);
    const search = page.getByRole('searchbox', { name: 'Search files' });
    const before = await topOf(search);
    release();
    await page.getByText(/0 files$/).waitFor();
    expect(await topOf(search)).toBe(before);
  });

  it('move neither the name of a long transcript nor its player', async () => {
    const { page } = window;
    const releaseTranscript = await hold(page, `**/v1/transcript/id/${long}*`);
    const releasePeaks = await hold(page, '**/peaks?*');
    await page.goto(`${server.url}/#/transcript/${long}`);
    const heading = page.getByRole('heading', { level: 1 });
    const name = await topOf(heading);
    releaseTranscript();
    const play = page.getByRole('button', { name: 'Play', exact: true });
    const [button, waves] = [await topOf(play), await page.locator('canvas').count()];
    expect(await topOf(heading)).toBe(name);
    releasePeaks();
    await expect.poll(() => page.locator('canvas').count()).toBeGreaterThan(waves);
    expect(await topOf(play)).toBe(button);
  });

  it('move no option of a new transcription', async () => {
    const { page } = window;
    await page.goto(`${server.url}/#/`);
    const release = await hold(page, '**/v1/models*');
    await page.reload();
    await page.getByRole('button', { name: 'New transcription' }).click();
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    const before = await topOf(cancel);
    expect(await dialog.getByRole('switch').count()).toBe(0);
    release();
    await dialog.getByRole('switch', { name: 'Hide private data' }).waitFor();
    expect(await topOf(cancel)).toBe(before);
    await page.keyboard.press('Escape');
  });

  it('let a file be deleted only when it is said what becomes of its transcripts', async () => {
    const { page } = window;
    const body = new FormData();
    body.append(
      'file',
      new Blob([new Uint8Array(fixture('01-short-note.wav'))], { type: 'audio/wav' }),
      'note.wav',
    );
    await server.client.call('uploadFile', { body });
    await page.goto(`${server.url}/#/files`);
    const release = await hold(page, '**/v1/storage/links/**');
    await page.getByRole('button', { name: 'More for note.wav' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete note.wav?' });
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    expect(await confirm.isEnabled()).toBe(false);
    release();
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => (await server.client.call('listFiles')).data.files).toEqual([]);
    expect(window.errors).toEqual([]);
  });

  it('leave no click without a sign', async () => {
    const { page } = window;
    const line = page.locator('[data-pending]');
    await window.go('#/queue');
    const releasePause = await hold(page, '**/v1/queue/pause');
    await page.getByRole('button', { name: 'Pause' }).click();
    await line.waitFor();
    releasePause();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await line.waitFor({ state: 'detached' });
    await window.go(`#/transcript/${long}`);
    await page.getByRole('button', { name: 'Export' }).click();
    const save = page.getByRole('dialog').getByRole('button', { name: /^Save as/ });
    await page.getByRole('region', { name: 'Preview' }).waitFor();
    const releaseExport = await hold(page, `**/v1/transcript/id/${long}/export*`);
    await save.click();
    await line.waitFor();
    const saved = page.waitForEvent('download');
    releaseExport();
    await saved;
    await line.waitFor({ state: 'detached' });
  });
});
