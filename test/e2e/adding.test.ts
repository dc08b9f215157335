import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneSentence, tinyWav } from '../support/audio.ts';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('adding recordings', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  const folder = join(temporaryFolder(), 'Interviews');
  const file = (name: string, content: Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ quick: true }), borrowBrowser()]);
    window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE } });
    await server.client.call('pauseQueue');
    mkdirSync(join(folder, 'Day 2', 'Evening'), { recursive: true });
    file('1.wav', oneSentence());
    file('notes.txt', Buffer.from('Ask about the harbor'));
    file('.2.wav', tinyWav());
    file('Day 2/2.wav', oneSentence(1));
    file('Day 2/cover.png', Buffer.from([0x89, 0x50, 0x4e, 0x47]));
    file('Day 2/Evening/10.wav', tinyWav());
  });
  afterAll(async () => {
    expect(window.errors).toEqual([]);
    await browser?.close();
    await discard(server);
  });

  /** Drops files and folders of the disk on the window, as the system does. */
  const drop = async (...files: string[]) => {
    const session = await window.context.newCDPSession(window.page);
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
    await session.detach();
  };
  const dialog = () => window.page.getByRole('dialog', { name: 'New transcription' });

  it('walks a dropped folder, and says how many, how long and how large before it starts', async () => {
    // A page takes nothing before it has drawn its first screen.
    await window.page.getByRole('region', { name: 'First steps' }).waitFor();
    await drop(folder);
    await dialog()
      .getByText(/^3 recordings · 0:0\d · \d+ kB$/)
      .waitFor();
    expect(await dialog().getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('1.wav'),
      expect.stringContaining('2.wav'),
      expect.stringContaining('10.wav'),
    ]);
    await dialog().getByRole('button', { name: 'Transcribe 3' }).waitFor();
  });

  it('adds what is dropped or pasted into the open dialog, each file once, and keeps its terms', async () => {
    const { page } = window;
    const terms = dialog().getByRole('textbox', { name: 'Names and terms' });
    await terms.fill('Zanzibar');
    // A file of an archive under the name of a recording.
    await drop(
      join(folder, '1.wav'),
      file('backup.mp3', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1')),
    );
    await dialog().getByText('1 file or link was in the list already.').waitFor();
    await dialog().getByText('This is not an audio or video file.').waitFor();
    await dialog()
      .getByText(/^3 recordings · .* · 1 can’t be transcribed$/)
      .waitFor();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'https://example.org/talk.mp3');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    });
    await dialog()
      .getByText(/^4 recordings · .* · 1 of unknown length · /)
      .waitFor();
    expect(await terms.inputValue()).toBe('Zanzibar');
    expect(await window.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('says that a dropped folder has no recordings', async () => {
    const empty = temporaryFolder();
    await drop(empty);
    await window.toasted('There are no audio or video files in this folder.');
    expect(await dialog().count(), basename(empty)).toBe(0);
  });

  it('lists a link at once while its transcription is being created', async () => {
    const { page } = window;
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route('**/v1/transcript', async (route) => {
      await held;
      await route.abort();
    });
    await page.keyboard.press('n');
    await dialog()
      .getByRole('textbox', { name: 'Link to audio or video' })
      .fill('https://example.org/talk.mp3');
    await page.keyboard.press('Enter');
    await dialog()
      .getByRole('button', { name: /^Transcribe/ })
      .click();
    const row = page.getByRole('region', { name: 'Uploads' }).getByText('https://example.org/talk.mp3');
    await row.waitFor();
    expect(await window.violations()).toEqual([]);
    answer();
    await row.waitFor({ state: 'detached' });
    await page.unroute('**/v1/transcript');
  });

  /** Holds three uploads, of which two run at a time, and loads the page again in the middle of them. */
  const reloadInUploads = async (before: () => Promise<void>) => {
    const { page } = window;
    await page.route('**/presigned-upload', () => {});
    await drop(folder);
    await dialog().getByRole('button', { name: 'Transcribe 3' }).click();
    await page.getByText('Waiting', { exact: true }).first().waitFor();
    await before();
    const asked = new Promise<string>((done) => {
      page.once('dialog', (shown) => {
        done(shown.type());
        void shown.accept();
      });
    });
    await page.reload();
    expect(await asked).toBe('beforeunload');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await window.settle();
  };
  const keptFiles = (act: 'count' | 'clear') =>
    window.page.evaluate(
      (method) =>
        new Promise<number>((resolve) => {
          const opened = indexedDB.open('earshot-uploads', 1);
          opened.onsuccess = () => {
            const store = opened.result.transaction('files', 'readwrite').objectStore('files');
            const request = store[method]();
            request.onsuccess = () => resolve(request.result ?? 0);
          };
        }),
      act,
    );
  const sent = () => window.page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
  const names = async () => {
    const { transcriptions } = (await server.client.call('listTranscripts')).data;
    return transcriptions.map(({ name }) => name).toSorted();
  };

  it('warns before a reload ends uploads, and goes on with them afterwards, as was asked', async () => {
    const { page } = window;
    await reloadInUploads(() => expect.poll(() => keptFiles('count')).toBe(3));
    for (const name of ['1', '2', '10']) await page.getByRole('link', { name, exact: true }).waitFor();
    await sent();
    expect(await page.getByText('stopped when the page was reloaded', { exact: false }).count()).toBe(0);
    // Of what the dialog asked for; the service would name them after their files.
    expect(await names()).toEqual(['1', '10', '2']);
    expect(await keptFiles('count')).toBe(0);
  });

  it('asks for files by name that the browser has not kept', async () => {
    const { page } = window;
    await reloadInUploads(async () => void (await keptFiles('clear')));
    const notice = page.getByRole('status').filter({ hasText: 'These uploads stopped' });
    await notice.getByText('1.wav, 2.wav and 10.wav', { exact: false }).waitFor();
    expect(await window.violations()).toEqual([]);
    await notice.locator('input').setInputFiles([join(folder, '1.wav'), join(folder, 'Day 2/2.wav')]);
    await dialog()
      .getByText(/^2 recordings/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Transcribe 2' }).click();
    await expect.poll(names).toEqual(['1', '1', '10', '2', '2']);
    await page.getByText('This upload stopped', { exact: false }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Dismiss' }).click();
    // A reload in the middle of one would be asked about.
    await sent();
    await page.reload();
    await window.settle();
    expect(await page.getByText('stopped when the page was reloaded', { exact: false }).count()).toBe(0);
  });
});
