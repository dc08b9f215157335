import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { runHere } from '../support/command-line.ts';
import { catalogueLine, starterBytes } from '../support/model-mirror.ts';
import { STARTER_MODEL } from '../support/paths.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, stall, startUrlServer, status, type UrlServer } from '../support/url-server.ts';

const PATH = '/mirror/ggml-northwind.bin';

describe('models screen', () => {
  let server: TestServer;
  let mirror: UrlServer;
  let browser: Browser;
  let window: TestWindow;
  const model = starterBytes();

  beforeAll(async () => {
    mirror = await startUrlServer();
    [server, browser] = await Promise.all([startServer({ quick: true }), borrowBrowser()]);
    await server.client.call('patchSettings', {
      body: {
        'models.baseUrl': mirror.url('/mirror/'),
        'models.catalogue': [catalogueLine('northwind', model)],
      },
    });
    window = await openWindow(browser, server, { at: '#/models' });
    await window.settle();
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
    await mirror.close();
  });

  const row = (name: string) => window.page.getByRole('listitem').filter({ hasText: name });

  it('describes models, and their state', async () => {
    const { page } = window;
    for (const name of ['Whisper base', 'pyannote segmentation 3.0', '3D-Speaker CAM++', 'Silero VAD 6.2']) {
      await page.getByText(name, { exact: true }).waitFor();
      await row(name).first().getByText('comes with Earshot').waitFor();
    }
    await page.getByText(/free on the disk/).waitFor();
    await row('Whisper large-v3-turbo, 5 bits').getByText('Takes less memory', { exact: false }).waitFor();
    await row('Whisper medium, 16 bits').getByText('twice as large', { exact: false }).waitFor();
  });

  it('says that there is no network, and offers what works without', async () => {
    const { page } = window;
    const notice = page.getByRole('status').filter({ hasText: 'No internet connection.' });
    expect(await notice.count()).toBe(0);
    await window.context.setOffline(true);
    await notice.waitFor();
    expect(await window.violations()).toEqual([]);
    await notice.getByRole('button', { name: 'Import a file' }).click();
    await page.getByRole('dialog', { name: 'Import a model file' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await notice.getByRole('link', { name: 'Set a mirror' }).getAttribute('href')).toBe(
      '#/settings/models',
    );
    await window.context.setOffline(false);
    await notice.waitFor({ state: 'detached' });
  });

  it('shows why a download failed, and retries it', async () => {
    const { page } = window;
    mirror.set(PATH, status(404));
    await row('northwind').first().getByRole('button', { name: 'Download' }).click();
    await page.getByRole('alert').filter({ hasText: 'answered 404' }).waitFor();
    mirror.set(PATH, stall(model, 9_000_000));
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('progressbar', { name: 'Download of northwind' }).waitFor();
  });

  it('downloads with progress, pauses, and resumes after a reload', async () => {
    const { page } = window;
    const bar = page.getByRole('progressbar', { name: 'Download of northwind' });
    await bar.waitFor();
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(5);
    expect(await window.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Paused at/).waitFor();
    await page.reload();
    await page.getByText(/^Paused at/).waitFor();
    mirror.set(PATH, file(model));
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Remove northwind' }).waitFor();
  });

  it('measures the speed of a model', async () => {
    await row('northwind').filter({ hasText: 'not measured here yet' }).first().waitFor();
    await row('northwind').getByRole('button', { name: 'Measure speed' }).first().click();
    await window.toasted(/^northwind: [\d.,]+× real time on this computer$/);
    await row('northwind')
      .getByText(/× real time here/)
      .first()
      .waitFor();
  });

  it('removes a model after a confirmation', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Remove northwind' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText(/^This frees/).waitFor();
    expect(await window.violations()).toEqual([]);
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Remove northwind' }).waitFor({ state: 'detached' });
  });

  it('imports a model file, or shows what is wrong with it', async () => {
    const { page } = window;
    const folder = temporaryFolder();
    await copyFile(STARTER_MODEL, join(folder, 'ggml-my own.bin'));
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const path = dialog.getByRole('textbox', { name: 'Or its path on the computer where Earshot runs' });
    await path.fill(join(folder, 'nothing.bin'));
    await page.keyboard.press('Enter');
    await dialog.getByText('There is no such file', { exact: false }).first().waitFor();
    expect(await window.violations()).toEqual([]);
    await path.fill(join(folder, 'ggml-my own.bin'));
    await page.keyboard.press('Enter');
    await window.toasted('my-own is on this computer now.');
    await page.getByRole('button', { name: 'Remove my-own' }).waitFor();
    await page.getByRole('button', { name: 'Import a file' }).click();
    await copyFile(STARTER_MODEL, join(folder, 'ggml-chosen.bin'));
    await dialog.locator('input[type=file]').setInputFiles(join(folder, 'ggml-chosen.bin'));
    await dialog.getByRole('status').filter({ hasText: 'ggml-chosen.bin' }).waitFor();
    await dialog.getByRole('button', { name: 'Copy and check' }).click();
    await window.toasted('chosen is on this computer now.');
    await page.getByRole('button', { name: 'Remove chosen' }).waitFor();
    expect(window.errors).toEqual([]);
    expect(window.foreign).toEqual([]);
  });

  it('says the same of what is in use as the sidebar, the terminal and doctor', async () => {
    const { page } = window;
    const used = page.getByRole('listitem').filter({ hasText: 'In use' });
    expect(await used.count()).toBe(1);
    await used.getByText('starter', { exact: true }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByText('starter · ').waitFor();
    const listed = await runHere(server.dataDir, 'models', 'list');
    expect(listed.out.match(/^.*in use.*$/gm)).toEqual([expect.stringMatching(/^● +starter /)]);
    const { out } = await runHere(server.dataDir, 'doctor');
    expect(out).toContain('starter is in use; also installed: ');
  });

  it('groups models by use and family', async () => {
    const available = window.page.locator('section', {
      has: window.page.getByRole('heading', { name: 'To download', level: 2 }),
    });
    expect(await available.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([
      'Whisper',
      'Whisper, English only',
      'Parakeet',
      'Speaker labels',
    ]);
    expect((await available.getByRole('listitem').allInnerTexts()).slice(0, 3)).toEqual([
      expect.stringContaining('Whisper tiny\n'),
      expect.stringContaining('Whisper tiny, 16 bits'),
      expect.stringContaining('Whisper base, 16 bits'),
    ]);
  });

  it('says that a download found no internet connection, and offers what works without', async () => {
    const { page } = window;
    await server.client.call('patchSettings', { body: { 'models.baseUrl': 'http://nowhere.invalid/' } });
    await row('Whisper tiny, 16 bits').first().getByRole('button', { name: 'Download' }).click();
    const notice = page.getByRole('status').filter({ hasText: 'No internet connection.' });
    await notice.getByRole('link', { name: 'Set a mirror' }).waitFor();
    await row('Whisper tiny, 16 bits')
      .getByRole('alert')
      .filter({ hasText: 'No internet connection.' })
      .first()
      .waitFor();
    const { err } = await runHere(server.dataDir, 'models', 'install', 'tiny');
    expect(err).toMatch(/No internet connection: .*earshot models import FILE/);
  });
});
