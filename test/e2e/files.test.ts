import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../electron/core/base/clock.ts';
import { newId } from '../../electron/core/base/ids.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { AccountService } from '../../electron/core/services/accounts.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { insertFile } from '../../electron/core/stores/files.ts';
import { tinyWav } from '../support/audio.ts';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { fixture, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** More than a page of the list, and than its rows that are shown. */
const MANY = 80;

/** The file that is transcribed and redacted; what is said in it does not matter. */
const SHORT = ONE_SENTENCE;
const payloadOf = (name: string) => ({
  name,
  mimeType: name.endsWith('.ogg') ? 'audio/ogg' : 'audio/wav',
  buffer: name === SHORT ? tinyWav() : fixture(name),
});

// Generous, for a busy machine.
const RECOGNIZE = 120_000;

/** Inserts files without their bytes into a new data folder: no one opens them, and uploads would take 20 ms each. */
const storeNotes = (dataDir: string): void => {
  const db = openDatabase(join(dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
  const userId = new AccountService(db, systemClock, undefined).owner().id;
  db.transaction(() => {
    for (let index = 1; index <= MANY; index++) {
      const folder = index % 2 === 0 ? 'notes/even' : 'notes';
      const originalName = `note-${String(index).padStart(3, '0')}.txt`;
      const file = {
        id: newId('file'),
        userId,
        key: `/${userId}/${folder}/${originalName}`,
        object: index.toString(16).padStart(32, '0'),
        folder,
        originalName,
        size: 20,
        mimeType: 'text/plain',
        isPublic: false,
        metadata: {},
        md5: '0'.repeat(32),
        sha256: '0'.repeat(64),
        uploadedAt: Date.now(),
        modifiedAt: Date.now(),
      };
      insertFile(db, file, new Uint8Array(4));
    }
  });
  db.close();
};

describe('files screen', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    const dataDir = temporaryFolder();
    storeNotes(dataDir);
    [server, browser] = await Promise.all([
      startServer({ dataDir, quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
    ]);
    await server.client.call('patchSettings', {
      body: { 'limits.uploadsPer15Minutes': 0, 'limits.requestsPerMinute': 0 },
    });
    await server.client.call('pauseQueue');
    window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE }, at: '#/files' });
    await window.settle();
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const row = (name: string) => window.page.getByRole('row').filter({ hasText: name });

  it('lists and sorts many files', async () => {
    const { page } = window;
    await page.getByText(`${MANY} files`).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await row('note-001.txt').waitFor();
    await page.getByRole('table').evaluate((table) => table.scrollIntoView({ block: 'end' }));
    await row('note-080.txt').waitFor();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await row('note-080.txt').waitFor();
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'))
      .toBe('descending');
  });

  it('searches by name and browses folders', async () => {
    const { page } = window;
    await page.getByRole('searchbox').fill('note-07');
    await expect.poll(() => page.getByRole('row').count()).toBe(11);
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('No file name matches.').waitFor();
    await page.getByRole('searchbox').fill('');
    const folders = page.getByRole('navigation', { name: 'Folders' });
    await folders.getByRole('link', { name: 'notes' }).click();
    await folders.getByRole('link', { name: 'even' }).click();
    await row('note-080.txt').waitFor();
    await expect.poll(() => row('note-079.txt').count()).toBe(0);
    await folders.getByRole('link', { name: 'All files' }).click();
  });

  it('uploads several files with progress, and cancels uploads', async () => {
    const { page } = window;
    await window.go('#/files/talks');
    // Uploads never end by themselves: they are canceled.
    await page.route('**/v1/storage/presigned/**', () => undefined);
    const input = page.getByTestId('upload-input');
    const media = ['01-short-note.wav', '05-spanish.ogg', SHORT];
    const chosen = media.map(payloadOf);
    await input.setInputFiles(chosen);
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await expect.poll(() => uploads.getByRole('progressbar').count()).toBe(3);
    await uploads.getByText('Waiting').waitFor();
    expect(await window.violations()).toEqual([]);
    for (let left = 3; left > 0; left--) {
      await expect.poll(() => uploads.getByRole('listitem').count()).toBe(left);
      await uploads.getByRole('button', { name: 'Stop this upload' }).first().click();
    }
    await uploads.waitFor({ state: 'detached' });
    await input.setInputFiles(chosen.slice(0, 1));
    await uploads.getByRole('progressbar').waitFor();
    await page.reload();
    await page.getByText('No files here yet').waitFor();
    // The browser has kept the file: the upload begins again.
    await uploads.getByText(media[0] ?? '').waitFor();
    await uploads.getByRole('button', { name: 'Stop this upload' }).click();
    await uploads.waitFor({ state: 'detached' });
    await page.unroute('**/v1/storage/presigned/**');
    await page.getByTestId('upload-input').setInputFiles(chosen);
    for (const name of media) await row(name).waitFor();
    await uploads.waitFor({ state: 'detached' });
  });

  it('publishes files, copies links and edits metadata', async () => {
    const { page } = window;
    const menu = async (entry: string) => {
      await page.getByRole('button', { name: 'More for 05-spanish.ogg' }).click();
      await page.getByRole('menuitem', { name: entry }).click();
    };
    await menu('Make public');
    await row('05-spanish.ogg').getByText('public', { exact: true }).waitFor();
    await menu('Copy link');
    await window.toasted('Public link copied.');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect((await fetch(link)).status).toBe(200);
    await menu('Make private');
    await row('05-spanish.ogg').getByText('public', { exact: true }).waitFor({ state: 'detached' });
    expect((await fetch(link)).status).toBe(404);
    await page.getByRole('button', { name: '05-spanish.ogg', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a note' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('project');
    await dialog.getByRole('textbox', { name: 'Value' }).fill('Harbour');
    // A failed save is shown where it was asked for, and the input stays.
    const patch = '**/v1/storage/file/**';
    await page.route(patch, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.unroute(patch);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const found = await server.client.call('listFiles', { query: { 'metadata[project]': 'Harbour' } });
    expect(found.data.files.map((file) => file.original_name)).toEqual(['05-spanish.ogg']);
  });

  it('transcribes a stored file', async () => {
    const { page } = window;
    await row(SHORT).getByRole('button', { name: 'Transcribe' }).click();
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    await dialog.getByText('From your files').waitFor();
    // A file that was stored before is kept.
    await dialog.getByRole('switch', { name: 'Hide private data' }).click();
    expect(await dialog.getByRole('switch', { name: 'Delete the original recording' }).isChecked()).toBe(
      false,
    );
    await dialog.getByRole('switch', { name: 'Hide private data' }).click();
    await server.client.call('pauseQueue');
    await dialog.getByRole('button', { name: /^Transcribe/ }).click();
    await page.getByRole('link', { name: '00-one-sentence' }).waitFor();
  });

  it('says what becomes of dependent transcripts before deleting a file', async () => {
    const { page } = window;
    await window.go('#/files/talks');
    const ask = async (name: string) => {
      await page.getByRole('button', { name: `More for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      return page.getByRole('alertdialog');
    };
    const unused = await ask('01-short-note.wav');
    await unused.getByText('No transcript was made from it.').waitFor();
    await unused.getByRole('button', { name: 'Cancel' }).click();
    const opener = page.getByRole('button', { name: 'More for 01-short-note.wav' });
    await expect.poll(() => opener.evaluate((button) => button === document.activeElement)).toBe(true);
    const used = await ask(SHORT);
    await used.getByText('1 transcription that is waiting or running may fail:').waitFor();
    const { data } = await server.client.call('listTranscripts');
    const id = data.transcriptions[0]?.id ?? '';
    await server.client.call('resumeQueue');
    await expect
      .poll(async () => (await server.client.call('getTranscript', { params: { id } })).status, {
        timeout: RECOGNIZE,
      })
      .toBe('completed');
    await used.getByText('1 transcript keeps its text, but can no longer be played:').waitFor();
    // Answered at the end: on a busy machine a redaction takes longer than the page is waited for.
    await server.client.call('analyzeTranscript', {
      params: { id },
      body: { redact_pii: true, wait_until_complete: true },
    });
    await used.getByText('1 transcript stays as it is:').waitFor();
    await used.getByText('This file still holds what was hidden in 1 transcript.').waitFor();
    expect(await window.violations()).toEqual([]);
    await used.getByRole('listitem').filter({ hasText: '00-one-sentence' }).waitFor();
    await used.getByRole('button', { name: 'Delete' }).click();
    await row(SHORT).waitFor({ state: 'detached' });
  });

  it('describes and edits the CORS rules, and rejects an invalid origin', async () => {
    const { page } = window;
    await page.getByText('No web page may use your files.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    const origins = page.getByRole('textbox', { name: 'Addresses of the pages' });
    await origins.fill('example.com/path');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'scheme://host' }).waitFor();
    await origins.fill('https://example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('may use your files: https://example.com', { exact: false }).waitFor();
    expect(window.errors).toEqual([]);
    expect(window.foreign).toEqual([]);
  });
});
