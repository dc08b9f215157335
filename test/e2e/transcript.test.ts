import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { CreateTranscript } from '../../electron/contract/transcript.ts';
import { type Browser, borrowBrowser, openWindow, prefer, type TestWindow } from '../support/browser.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixture, fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { storeSource } from '../support/source.ts';
import { openTranscript } from '../support/stored-transcripts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

/** Two speakers, three sentences. */
const TALK_SECONDS = '7.7';
const RANGE_FROM = 6.8;

// Generous, for a busy machine.
const PATIENCE = 300_000;
const SOON = { timeout: 90_000 };

describe('transcript screen', { timeout: PATIENCE }, () => {
  let server: TestServer;
  let browser: Browser;
  let remote: UrlServer;
  let window: TestWindow;
  let talk: string;
  let part: string;

  const create = async (audio_url: string, more: Partial<z.input<typeof CreateTranscript>>) => {
    const body = { audio_url, timestamp_style: 'word', wait_until_complete: true, ...more } as const;
    return (await server.client.call('createTranscript', { body })).id;
  };
  const stored = (id = talk) => server.client.call('getTranscript', { params: { id } });
  const open = (page: Page, id = talk) => openTranscript(server, id, { page });
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of this paragraph' });
  /** Types before the first word and leaves the editor open. */
  const typeFirst = async (page: Page, text: string) => {
    await page.locator('[data-w="0"]').dblclick();
    await editor(page).waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(text);
  };

  beforeAll(async () => {
    [server, browser, remote] = await Promise.all([
      startServer({ quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
      startUrlServer(),
    ]);
    const folder = temporaryFolder();
    const path = join(folder, 'talk.wav');
    await ffmpeg('-i', fixturePath('02-two-speakers.mp3'), '-t', TALK_SECONDS, '-ac', '1', path);
    const bytes = await readFile(path);
    talk = await create(remote.set('/talk.wav', file(bytes)), { name: 'Talk' });
    part = await create(remote.set('/note.wav', file(fixture('01-short-note.wav'))), {
      audio_start_from: RANGE_FROM,
      name: 'Part of a note',
    });
    window = await openWindow(browser, server);
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await Promise.all([discard(server), remote?.close()]);
  });

  it('adds speaker labels by a new analysis, keeps the text, and renames a speaker everywhere', async () => {
    const { page } = window;
    const before = await stored();
    await open(page);
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Analyze again' });
    expect(await dialog.getByRole('button', { name: 'Analyze', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('switch', { name: 'Speakers' }).press(' ');
    await dialog.getByRole('combobox', { name: 'Speakers' }).waitFor();
    await dialog.getByRole('switch', { name: 'Summary' }).press(' ');
    await dialog.getByRole('button', { name: 'Analyze', exact: true }).press('Enter');
    await window.toasted(/^AnalyzedUndo$/);
    expect((await stored()).text).toBe(before.text);
    expect(Object.keys((await stored()).speakers ?? {})).toEqual(['A', 'B']);

    const head = page.getByRole('region', { name: 'Text', exact: true });
    await head.getByRole('button', { name: 'Speaker A' }).first().press('Enter');
    await page.getByRole('textbox', { name: 'Name of this speaker' }).fill('Ines Marchetti');
    await page.keyboard.press('Enter');
    await head.getByRole('button', { name: 'Ines Marchetti' }).first().waitFor();
    await expect.poll(() => head.getByRole('button', { name: 'Speaker A' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Speakers' }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'Ines Marchetti' }).waitFor();
    await expect.poll(() => page.getByRole('tabpanel').getByText(/%$/).count()).toBe(2);
    const colors = await page
      .getByRole('tabpanel')
      .getByRole('listitem')
      .getByRole('button', { name: /Ines Marchetti|Speaker B/ })
      .evaluateAll((names) => names.map((name) => getComputedStyle(name).color));
    expect(new Set(colors).size).toBe(2);
  });

  it('keeps edits while the server is unreachable, and saves them later', async () => {
    const { page, context } = window;
    await context.setOffline(true);
    await typeFirst(page, 'Zanzibar ');
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('Not saved.', { exact: false }).waitFor();
    // Checked before it is left: what the page sends then is not held up by the emulated outage.
    expect((await stored()).text).not.toContain('Zanzibar');
    page.once('dialog', (question) => void question.accept());
    await page.goto('about:blank');
    await context.setOffline(false);
    await open(page);
    await page.locator('[data-w="0"]').getByText('Zanzibar').waitFor();
    await expect.poll(async () => (await stored()).text, SOON).toContain('Zanzibar');
    await expect
      .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => /unsaved/.test(key))), SOON)
      .toEqual([]);
  });

  it('saves what was typed right before leaving or reloading the page', async () => {
    const { page } = window;
    await typeFirst(page, 'Quixotic ');
    await page.getByRole('link', { name: 'Library' }).first().click();
    await page.getByRole('link', { name: 'Talk' }).waitFor();
    await expect.poll(async () => (await stored()).text, SOON).toContain('Quixotic');
    await open(page);
    await typeFirst(page, 'Reloaded ');
    await page.reload();
    await page.locator('[data-w="0"]').getByText('Reloaded').waitFor();
    await expect.poll(async () => (await stored()).text, SOON).toContain('Reloaded');
  });

  it('shows both texts of a conflict and keeps the chosen one', async () => {
    const { page } = window;
    for (const [choice, kept, lost] of [
      ['Keep the other', 'Elsewhere one.', 'Here'],
      ['Keep mine', 'Here', 'Elsewhere two.'],
    ] as const) {
      await open(page);
      await typeFirst(page, 'Here ');
      const elsewhere = choice === 'Keep mine' ? 'Elsewhere two.' : 'Elsewhere one.';
      await server.client.call('patchTranscript', {
        params: { id: talk },
        body: { segments: [{ id: 0, text: elsewhere }] },
      });
      await page.keyboard.press('Escape');
      const note = page.getByRole('alert').filter({ hasText: 'another window' });
      await note.getByText('Here', { exact: false }).first().waitFor();
      await note.getByText(elsewhere).waitFor();
      expect((await stored()).text).toContain(elsewhere);
      // Both texts survive a reload.
      if (choice === 'Keep mine') await page.reload();
      await note.getByText(elsewhere).waitFor();
      await note.getByRole('button', { name: choice }).click();
      await note.waitFor({ state: 'detached' });
      await page
        .locator('[data-w="0"]')
        .getByText(kept.split(' ')[0] ?? '')
        .waitFor();
      await expect.poll(async () => (await stored()).segments[0]?.text, SOON).toContain(kept);
      expect((await stored()).segments[0]?.text).not.toContain(lost);
    }
  });

  it('shows edits of another window', async () => {
    const { page } = window;
    await open(page);
    await server.client.call('patchTranscript', {
      params: { id: talk },
      body: { segments: [{ id: 0, text: 'Changed from afar.' }] },
    });
    await page.locator('[data-w="0"]').getByText('Changed').waitFor();
  });

  it('plays the clicked word, also if only a range of the audio was downloaded', async () => {
    const { page } = window;
    await page.evaluate(() => {
      const Native = globalThis.Audio;
      globalThis.Audio = class extends Native {
        constructor() {
          super();
          Object.assign(globalThis, { player: this });
        }
      };
    });
    const transcript = await stored(part);
    expect(transcript.audio_offset).toBeGreaterThan(1);
    await open(page, part);
    const slider = page.getByRole('slider', { name: 'Position' });
    expect(Number(await slider.getAttribute('aria-valuemin'))).toBe(Math.round(RANGE_FROM));
    const words = transcript.segments.flatMap((segment) => segment.words ?? []);
    // The audio goes on for seconds after either.
    for (const index of [3, Math.floor(words.length / 2)]) {
      const pressed = performance.now();
      await page.locator(`[data-w="${index}"]`).click();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      const played = (performance.now() - pressed) / 1000;
      // A place chosen before the audio is known is gone to once it is, also after the pause.
      const heard = await page.evaluate(async () => {
        const player: unknown = Reflect.get(globalThis, 'player');
        if (!(player instanceof HTMLAudioElement)) return Number.NaN;
        if (player.readyState === HTMLMediaElement.HAVE_NOTHING)
          await new Promise((resolve) => player.addEventListener('loadedmetadata', resolve, { once: true }));
        return player.currentTime;
      });
      const from = (words[index]?.start ?? 0) - transcript.audio_offset;
      expect(heard).toBeGreaterThan(from - 0.05);
      // Playback continued until the pause, however long a busy test took to press it, and no longer.
      expect(heard).toBeLessThan(from + played);
    }
    await slider.press('Home');
    await page.locator('[data-w="0"]').waitFor();
    await expect
      .poll(async () => Number(await slider.getAttribute('aria-valuenow')))
      .toBe(Math.round(RANGE_FROM));
  });

  it('says that it plays when Space is pressed just as the address of the audio arrives', async () => {
    const { page } = window;
    // A page that has just been loaded, with no answer of an earlier one.
    await window.go('#/');
    await page.reload();
    await window.settle();
    await page.evaluate(() => {
      const { json } = Response.prototype;
      Response.prototype.json = async function () {
        const answer = await json.call(this);
        if (this.url.endsWith('/audio-url')) {
          Response.prototype.json = json;
          globalThis.dispatchEvent(new KeyboardEvent('keydown', { key: ' ' }));
        }
        return answer;
      };
    });
    await open(page);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
  });

  it('goes on playing with a new address when the first has expired', async () => {
    const { page } = window;
    let asked = 0;
    await page.route('**/audio-url', async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const expires_at = new Date(Date.now() - 1000).toISOString();
      await page.keyboard.press(' ');
      await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
      await route.fulfill({ json: { success: true, data: { url: `${server.url}/v1/none`, expires_at } } });
    });
    // Since the page was loaded, it has not asked for the address of this one.
    await open(page, part);
    const slider = page.getByRole('slider', { name: 'Position' });
    await expect
      .poll(async () => Number(await slider.getAttribute('aria-valuenow')))
      .toBeGreaterThan(RANGE_FROM + 1);
    expect(asked).toBe(2);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.unroute('**/audio-url');
  });

  it('creates a transcription of a range by keyboard', async () => {
    const { page } = window;
    await server.client.call('pauseQueue');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    await dialog.locator('input[type=file]').setInputFiles(fixturePath(ONE_SENTENCE));
    await dialog.getByRole('slider', { name: 'Start of the part' }).press('ArrowRight');
    await dialog.getByRole('slider', { name: 'Start of the part' }).press('ArrowRight');
    await dialog.getByRole('button', { name: 'Copy as curl' }).press('Enter');
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain('"audio_start_from": 2');
    await expect.poll(() => dialog.getByRole('button', { name: /^Transcribe/ }).isEnabled()).toBe(true);
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '00-one-sentence' }).click();
    await page.getByRole('region', { name: 'Progress' }).waitFor();
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    expect((await stored(data.transcriptions[0]?.id)).audio_start_from).toBe(2);
  });

  it('shows the text during a new analysis, and is unchanged after its cancellation', async () => {
    const { page } = window;
    const before = await stored();
    await open(page);
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Analyze again' });
    await dialog.getByRole('switch', { name: 'Topics' }).press(' ');
    await dialog.getByRole('button', { name: 'Analyze', exact: true }).press('Enter');
    const progress = page.getByRole('region', { name: 'Progress' });
    await progress.waitFor();
    await page.reload();
    await progress.waitFor();
    await page.locator('[data-w="0"]').waitFor();
    await progress.getByRole('button', { name: 'Stop' }).click();
    await window.toasted('The last analysis was not made: it was cancelled.');
    await progress.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({
      status: 'completed',
      text: before.text,
      segments: before.segments,
      speakers: before.speakers,
    });
  });

  it('shows the web page of a recording and its chapters, and plays a chapter', async () => {
    const { page } = window;
    // As yt-dlp finds them, whose tests are those of the service.
    storeSource(server.dataDir, talk, {
      title: 'A note on time',
      site: 'Generic',
      recordings: 1,
      chapters: [
        { title: 'Opening', start: 0, end: 3 },
        { title: 'The rest', start: 3, end: 7 },
      ],
    });
    // Slowly, since the recording has seconds left.
    await prefer(window, { rate: 0.5 });
    await page.getByRole('tab', { name: 'Details' }).click();
    const link = page.getByRole('link', { name: 'A note on time' });
    expect(await link.getAttribute('href')).toBe(remote.url('/talk.wav'));
    expect(await window.violations()).toEqual([]);
    const rest = page.getByRole('listitem').filter({ hasText: 'The rest' });
    await rest.getByRole('button', { name: 'Play from 0:03' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    const spoken = page.locator('.w.play').first();
    await expect.poll(async () => Number(await spoken.getAttribute('data-w'))).toBeGreaterThan(2);
  });

  it('made no requests to other hosts and logged no errors', () => {
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
