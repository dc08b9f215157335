import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixture, fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { segmentOf, storeTranscript } from '../support/long-transcript.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

/** Four paragraphs of two speakers. */
const TALK_SECONDS = '13.7';
/** The voice of the sentence, in the talk and by itself. */
const SPEAKER = 'Speaker B';
const PATIENCE = 240_000;
const SOON = { timeout: 90_000 };

/** One server and one window, because most of what these cost is the start of either and of the engine. */
let server: TestServer;
let browser: Browser;
let window: TestWindow;
let remote: UrlServer;

/** A recording of two channels, each recognized by itself. */
let call: string;
let talk: string;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  const greeting = { ...segmentOf(0, 0, ['Good', 'morning.']), channel: 0 };
  call = storeTranscript(dataDir, [greeting], { multichannel: true, name: 'Call' }, { channels: 2 });
  [server, browser, remote] = await Promise.all([
    startServer({ dataDir, quick: true, model: 'starter-parakeet' }),
    borrowBrowser(),
    startUrlServer(),
  ]);
  const options = { ...TEXT_ALONE, diarize: true, speakers: 3, model: 'starter-parakeet' };
  window = await openWindow(browser, server, { prefs: { options } });
}, PATIENCE);
afterAll(async () => {
  await browser?.close();
  await Promise.all([discard(server), remote?.close()]);
});

/** Transcribes a recording with its speakers and no other analysis. */
const diarized = async (bytes: Buffer, name: string): Promise<string> => {
  const audio_url = remote.set(`/${name}.wav`, file(bytes));
  const body = {
    audio_url,
    name,
    diarize: true,
    timestamp_style: 'word',
    wait_until_complete: true,
  } as const;
  const { id, error } = await server.client.call('createTranscript', { body });
  expect(error).toBeUndefined();
  return id;
};

describe('channels in the window', { timeout: PATIENCE }, () => {
  /** The recognition of channels is in test/http/jobs/channels.test.ts. */
  const cancelled = async () => {
    const { data } = await server.client.call('listTranscripts', { query: { status: 'processing' } });
    for (const { id } of data.transcriptions)
      await server.client.call('deleteTranscript', { params: { id } });
    await server.client.call('resumeQueue');
    return call;
  };

  it('are kept apart by one switch, in place of speaker labels', async () => {
    const { page } = window;
    await server.client.call('pauseQueue');
    const url = remote.set('/call.wav', file(fixture(ONE_SENTENCE)));
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

    await dialog.getByRole('textbox', { name: /link/i }).fill(url, SOON);
    await page.keyboard.press('Enter');
    const sent = page.waitForRequest((each) => each.method() === 'POST' && /\/transcript$/.test(each.url()));
    await page.keyboard.press('Control+Enter');
    const { multichannel, diarize = false } = (await sent).postDataJSON();
    expect([multichannel, diarize]).toEqual([true, false]);
    await dialog.waitFor({ state: 'detached' });
    await window.go(`#/transcript/${await cancelled()}`);
    await page.keyboard.press('a');
    const again = page.getByRole('dialog', { name: 'Analyze again' });
    await again.getByRole('switch', { name: 'Summary' }).waitFor(SOON);
    expect(await again.getByRole('switch', { name: 'Speakers' }).count()).toBe(0);
    expect(window.errors).toEqual([]);
  });
});

describe('speakers that are identified again from a place on', { timeout: PATIENCE }, () => {
  beforeAll(async () => {
    const path = join(temporaryFolder(), 'talk.wav');
    await ffmpeg('-i', fixturePath('02-two-speakers.mp3'), '-t', TALK_SECONDS, '-ac', '1', path);
    talk = await diarized(readFileSync(path), 'Talk');
    await window.go(`#/transcript/${talk}`);
  }, PATIENCE);

  const read = () => server.client.call('getTranscript', { params: { id: talk } });
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
    const start = dialog().getByRole('button', { name: 'Identify speakers' });
    // What the service does with this request is in test/http/analyses/speakers.test.ts.
    await page.route('**/analyze', (route) => route.abort());
    const sent = page.waitForRequest('**/analyze');
    await window.holdingToasts(async () => {
      await start.click();
      expect((await sent).postDataJSON()).toEqual({ diarize: true, speakers_expected: 1 });
    });
    await page.unroute('**/analyze');
    // A dialog whose request failed stays.
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await expect.poll(labels).toBe(before);
    expect(window.errors).toEqual([]);
  });
});

describe('remembered voice', { timeout: PATIENCE }, () => {
  const sentence = fixture(ONE_SENTENCE);
  let next: string;

  beforeAll(async () => {
    // The talk is the first recording in which the voice speaks.
    next = await diarized(sentence, 'Next');
    await window.go(`#/transcript/${talk}`);
  }, PATIENCE);

  it('is stored when its speaker is named with that choice', async () => {
    const { page } = window;
    await page.getByRole('tab', { name: 'Speakers' }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: SPEAKER, exact: true }).click();
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
    await window.go(`#/transcript/${next}`);
    await page.getByRole('tab', { name: 'Speakers' }).click();
    await page.getByText('Sounds like María').waitFor();
    expect(await window.violations()).toEqual([]);
    const before = await server.client.call('getTranscript', { params: { id: next } });
    expect(before.speakers?.A?.name).toBe('Speaker A');
    await page.getByRole('button', { name: 'Use the name María' }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'María', exact: true }).waitFor();
    await expect.poll(() => page.getByText('Sounds like').count()).toBe(0);
    await window.go('#/library');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Next', exact: true }) });
    expect(await row.getByRole('img', { name: 'María', exact: true }).textContent()).toBe('M');
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
