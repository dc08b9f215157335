import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findTestBrowser,
  launchTestBrowser,
  openWindow,
  TEXT_ALONE,
  type TestWindow,
  untilFonts,
} from '../support/browser.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, SYNTHETIC, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** "Good morning, my name is David Clark and I work at Northwind." */
const SPOKEN_SECONDS = 4.3;
const FAKE_MICROPHONES = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
/** Without live text. */
const FILE_ALONE = { showsLiveText: false } as const;
const SERVER = { quick: true, model: 'starter-parakeet' } as const;

/** In the page: lists two microphones. */
const listMicrophones = (): void => {
  const listed = [1, 2].map((number) => ({
    kind: 'audioinput' as const,
    deviceId: `microphone-${number}`,
    groupId: '',
    label: `Fake microphone ${number}`,
    toJSON: () => ({}),
  }));
  navigator.mediaDevices.enumerateDevices = async () => listed;
};

/** How often the timer is read, which shows whole seconds. */
const TIMER_MS = 250;

/** Waits until so much is recorded. A busy page may show some seconds never. */
const untilRecorded = async (dialog: Locator, seconds: number): Promise<void> => {
  const recorded = async () => Number((await dialog.getByRole('timer').textContent())?.split(':')[1]);
  await expect.poll(recorded, { interval: TIMER_MS }).toBeGreaterThanOrEqual(seconds);
};

describe('microphone recording with private data', () => {
  let server: TestServer;
  let browser: Browser;
  /** Records, and finds what other windows leave behind. A new one costs three times a reload. */
  let window: TestWindow;
  let heard: string;
  /** Of the recording that is transcribed, as its dialog shows them. */
  let recordedSeconds: number;

  beforeAll(async () => {
    server = await startServer(SERVER);
    heard = join(temporaryFolder(), 'heard.wav');
    await ffmpeg('-i', fixturePath('01-short-note.wav'), '-t', String(SPOKEN_SECONDS), heard);
    browser = await launchTestBrowser(
      [...FAKE_MICROPHONES, `--use-file-for-fake-audio-capture=${heard}%noloop`],
      findTestBrowser(),
    );
    window = await openWindow(browser, server, { prefs: { ...FILE_ALONE, options: TEXT_ALONE } });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  /** Records for so long, and until the service has a part. */
  const recordIn = async ({ page }: TestWindow, seconds: number) => {
    const stored = page.waitForResponse((each) => each.request().method() === 'PATCH' && each.ok());
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Record from the microphone' });
    await dialog.getByRole('button', { name: 'Start recording' }).click();
    await untilRecorded(dialog, seconds);
    await stored;
    return dialog;
  };
  const recoveredFiles = async (from: TestServer) =>
    (await from.client.call('listFiles', { query: { 'metadata[recovered]': 'true' } })).data.files;

  it('offers any window what another was recording when it was closed', async () => {
    const other = await openWindow(browser, server, { prefs: FILE_ALONE });
    await server.client.call('pauseQueue');
    await recordIn(other, 2);
    // Closing it in the middle is questioned.
    const asked = other.page.waitForEvent('dialog');
    await other.page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    expect(await recoveredFiles(server)).toEqual([]);
    await question.accept();
    const { page } = window;
    const recovered = page.getByRole('region', { name: 'Recovered recordings' });
    await recovered.getByText(/^Recovered recording of/).waitFor();
    expect(await window.violations()).toEqual([]);
    await recovered.getByRole('button', { name: 'Transcribe' }).click();
    const create = page.getByRole('dialog', { name: 'New transcription' });
    await create.getByText('Recovered recording-', { exact: false }).waitFor();
    await create.getByRole('slider', { name: 'Start of the part' }).waitFor();
    await create.getByRole('button', { name: /^Transcribe/ }).click();
    await page.getByRole('link', { name: /^Recovered recording-/ }).waitFor();
    await recovered.waitFor({ state: 'detached' });
    const { data } = await server.client.call('listTranscripts');
    const made = data.transcriptions.find(({ name }) => name.startsWith('Recovered recording-'));
    await server.client.call('deleteTranscript', { params: { id: made?.id ?? '' } });
    for (const file of (await server.client.call('listFiles')).data.files)
      await server.client.call('deleteFile', { params: { fileKey: file.key } });
    await server.client.call('resumeQueue');
    expect(window.errors).toEqual([]);
    await other.close();
  });

  /** Answers the offer of a recovered recording: not to delete it, and to keep it. */
  const keepRecovered = async (name: string) => {
    const { page } = window;
    const recovered = page.getByRole('region', { name: 'Recovered recordings' });
    await recovered.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Discard this recording?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    expect(await recoveredFiles(server)).toMatchObject([{ original_name: name }]);
    await recovered.getByRole('button', { name: 'Keep in Files' }).click();
    await recovered.waitFor({ state: 'detached' });
    const { files } = (await server.client.call('listFiles')).data;
    expect(files).toMatchObject([{ metadata: {} }]);
    for (const { key } of files) await server.client.call('deleteFile', { params: { fileKey: key } });
  };

  it('offers to keep a recovered recording or to throw it away', async () => {
    const { client } = server;
    const { data } = await client.call('startRecording', {
      body: { filename: 'recording-1.wav', contentType: 'audio/wav' },
    });
    const params = { id: data.id };
    const body = new Blob([await readFile(heard)]);
    await client.call('appendRecording', { params, query: { offset: 0 }, body });
    await client.call('finishRecording', { params, body: { interrupted: true } });
    await keepRecovered('Recovered recording-1.wav');
  });

  describe('in one window', () => {
    it('leaves everything in its place when the list of microphones arrives', async () => {
      const { page } = window;
      await page.evaluate(() => {
        const { mediaDevices } = navigator;
        const list = mediaDevices.enumerateDevices.bind(mediaDevices);
        const asked = new Promise<void>((resolve) =>
          addEventListener('list', () => resolve(), { once: true }),
        );
        mediaDevices.enumerateDevices = () => asked.then(list);
      });
      await page.getByRole('button', { name: 'Record', exact: true }).click();
      const start = page.getByRole('button', { name: 'Start recording' });
      await start.waitFor();
      await untilFonts(page);
      const before = await start.boundingBox();
      await page.evaluate(() => void dispatchEvent(new Event('list')));
      await page.getByRole('combobox', { name: 'Microphone' }).click();
      await page.getByRole('option', { name: /Fake/ }).first().waitFor();
      await page.keyboard.press('Escape');
      expect(await start.boundingBox()).toEqual(before);
      await page.keyboard.press('Escape');
      await start.waitFor({ state: 'detached' });
    });

    it('remembers the chosen microphone', async () => {
      // The headless shell gives the microphones new ids at each reload: the page is told of two that keep them.
      const { page } = window;
      const open = async () => {
        await page.evaluate(listMicrophones);
        await page.getByRole('button', { name: 'Record', exact: true }).click();
        return page.getByRole('combobox', { name: 'Microphone' });
      };
      const field = await open();
      await field.click();
      // The microphones come after the choice of the system's own.
      const choice = page.getByRole('option', { name: /Fake/ }).last();
      const name = (await choice.textContent()) ?? '';
      await choice.click();
      await page.reload();
      const again = await open();
      await expect.poll(() => again.textContent()).toBe(name);
      // Back to the system's own, which the tests below record from.
      await again.click();
      await page.getByRole('option').first().click();
      await page.keyboard.press('Escape');
      await again.waitFor({ state: 'detached' });
    });

    it('records once, and goes on, after a double click on the start', async () => {
      const { page } = window;
      // What the service had of it when the window is closed would be a recovered file in the tests below.
      await page.route('**/v1/storage/recordings', (route) => route.abort());
      await page.evaluate(() => {
        const { mediaDevices } = navigator;
        const ask = mediaDevices.getUserMedia.bind(mediaDevices);
        mediaDevices.getUserMedia = (constraints) => {
          console.error('A microphone was asked for.');
          return ask(constraints);
        };
      });
      await page.getByRole('button', { name: 'Record', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Record from the microphone' });
      await dialog.getByRole('button', { name: 'Start recording' }).dblclick();
      await untilRecorded(dialog, 1);
      expect(window.errors.splice(0)).toEqual(['A microphone was asked for.']);
      await dialog.getByRole('button', { name: 'Finish' }).click();
      await page.getByRole('dialog', { name: 'New transcription' }).waitFor();
      await page.keyboard.press('Escape');
      const question = page.getByRole('alertdialog', { name: 'Discard this recording?' });
      await question.getByRole('button', { name: 'Discard' }).click();
      await question.waitFor({ state: 'detached' });
      await page.unrouteAll();
      await page.reload();
    });
  });

  it('keeps a recording in Files without transcribing it', async () => {
    const { page } = window;
    const dialog = await recordIn(window, 1);
    await dialog.getByRole('button', { name: 'Finish' }).click();
    const create = page.getByRole('dialog', { name: 'New transcription' });
    await create.getByRole('button', { name: 'Keep in Files' }).click();
    await window.toasted(/^recording-.*\.webm is in Files$/);
    expect(await create.count()).toBe(0);
    const { files } = (await server.client.call('listFiles')).data;
    expect(files).toMatchObject([{ folder: 'recordings', metadata: {} }]);
    for (const { key } of files) await server.client.call('deleteFile', { params: { fileKey: key } });
  });

  it('records while other screens are used, and goes on when the server dies', async () => {
    const { page } = window;
    const dialog = await recordIn(window, 2);
    await server.kill();
    await dialog.getByRole('alert').getByText('Keep this window open.', { exact: false }).waitFor();
    const { port } = new URL(server.url);
    server = await startServer({
      model: SERVER.model,
      dataDir: server.dataDir,
      args: [...SYNTHETIC, '--allow-private-addresses', '--port', port],
    });
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    // The dialog can be left: the recording goes on.
    await page.keyboard.press('Escape');
    const bar = page.getByRole('region', { name: 'Record', exact: true });
    await bar.getByText(/^Recording 0:/).waitFor();
    await page.getByRole('link', { name: 'Files' }).first().click();
    await bar.getByRole('button', { name: 'Show' }).click();
    await untilRecorded(dialog, Math.ceil(SPOKEN_SECONDS) + 1);
  });

  it('pauses, confirms before discarding, and stores all of it', async () => {
    const { page } = window;
    const dialog = page.getByRole('dialog', { name: 'Record from the microphone' });
    const question = page.getByRole('alertdialog', { name: 'Discard this recording?' });
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await question.getByRole('button', { name: 'Keep it' }).click();
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await dialog.getByText('Paused').waitFor();
    expect(await window.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Finish' }).click();

    const create = page.getByRole('dialog', { name: 'New transcription' });
    await create.getByText('recording-', { exact: false }).waitFor();
    await create.getByRole('slider', { name: 'Start of the part' }).waitFor();
    const end = await create.getByRole('slider', { name: 'End of the part' }).getAttribute('aria-valuemax');
    recordedSeconds = Number(end);
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Keep it' }).click();
    await create.getByText('recording-', { exact: false }).waitFor();
  });

  it('redacts text and audio and reports the result', async () => {
    const { page } = window;
    const create = page.getByRole('dialog', { name: 'New transcription' });
    await create.getByRole('switch', { name: 'Hide private data' }).click();
    // Names are hidden if nothing is chosen. A kind is on if its group is; without that kind, the others of the group stay.
    await create.getByRole('button', { name: 'Choose individually…' }).click();
    const kind = (name: string) => create.getByRole('button', { name, exact: true, pressed: true });
    await kind('Passport numbers').waitFor();
    await kind('E-mail addresses').waitFor();
    await kind('Passport numbers').click();
    await kind('Passport numbers').waitFor({ state: 'detached' });
    await kind('Names of people').waitFor();
    await kind('Personal').waitFor({ state: 'detached' });
    await create.getByRole('radio', { name: 'Asterisks' }).click();
    await expect
      .poll(() => create.getByRole('switch', { name: 'Bleep it in the audio as well' }).isChecked())
      .toBe(true);
    // The file was given for this job alone.
    const original = create.getByRole('switch', { name: 'Delete the original recording' });
    await expect.poll(() => original.isChecked()).toBe(true);
    await create.getByText('Only the bleeped recording is left.', { exact: false }).waitFor();
    await original.click();
    await create.getByText('with everything that was said', { exact: false }).waitFor();
    await original.click();
    await server.client.call('pauseQueue');
    await create.getByRole('button', { name: /^Transcribe/ }).click();
    await page.getByRole('link', { name: /^recording-/ }).click();
    const { files } = (await server.client.call('listFiles')).data;
    expect(files).toMatchObject([{ folder: 'recordings', metadata: {} }]);
    await server.client.call('resumeQueue');
    await page.locator('[data-w]').first().waitFor({ timeout: 150_000 });
    const text = page.getByRole('region', { name: 'Text', exact: true });
    await text.getByText('Northwind', { exact: false }).waitFor();
    expect((await text.textContent())?.replace(/\s+/g, ' ')).not.toMatch(/David|Clark/);
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('Rechecked: none audible.', { exact: false }).waitFor();
    await page.getByText('Names of people (1)', { exact: true }).waitFor();
    await page.getByText('Still in the text', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.locator('.w.play').waitFor();
    await expect.poll(async () => (await server.client.call('listFiles')).data.files).toEqual([]);
    const { data } = await server.client.call('listTranscripts');
    expect(Math.abs((data.transcriptions[0]?.duration ?? 0) - recordedSeconds)).toBeLessThan(1);
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
