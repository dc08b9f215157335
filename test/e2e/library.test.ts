import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tinyWav } from '../support/audio.ts';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer } from '../support/url-server.ts';

const NAMES = ['01-short-note', '05-spanish', '06-german'] as const;

describe('library screen', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({ quick: true, model: 'starter-parakeet' }),
      borrowBrowser(),
    ]);
    window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE } });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it('queues several files at once', async () => {
    const { page } = window;
    await server.client.call('pauseQueue');
    const recording = { mimeType: 'audio/wav', buffer: tinyWav() };
    await page
      .getByTestId('file-input')
      .setInputFiles(NAMES.map((name) => ({ ...recording, name: `${name}.wav` })));
    await page.getByRole('button', { name: 'Transcribe 3' }).click();
    for (const name of NAMES) await page.getByRole('link', { name }).waitFor();
    const { data } = await server.client.call('listTranscripts', { query: { status: 'processing' } });
    expect(data.pagination.total).toBe(3);
  });

  it('gives the names room at 1024 px', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 1024, height: 768 });
    const name = await page.locator('[data-row-link]').first().boundingBox();
    const row = await page.getByRole('row').nth(1).boundingBox();
    expect((name?.width ?? 0) / (row?.width ?? 1)).toBeGreaterThan(0.4);
    await page.setViewportSize({ width: 1280, height: 820 });
  });

  it('filters by language, model and date, and shows and clears active filters', async () => {
    const { page } = window;
    await page.getByRole('button', { name: /^Filter/ }).click();
    const form = page.getByRole('dialog', { name: 'Filter' });
    const choose = async (field: string, choice: string) => {
      await form.getByRole('combobox', { name: field }).click();
      await page.getByRole('option', { name: choice, exact: true }).click();
    };
    await choose('Model', 'Pro');
    await page.getByText('No transcript matches this filter.').waitFor();
    await choose('Model', 'Mini');
    await expect.poll(() => page.locator('[data-row-link]').count()).toBe(3);
    await choose('Added', 'From … to …');
    await form.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.getByText('No transcript matches this filter.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter until 31 Jan 2020' }).click();
    await expect.poll(() => page.locator('[data-row-link]').count()).toBe(3);
    await page.getByRole('button', { name: /^Filter/ }).click();
    await choose('Added', 'Today');
    await choose('Language', 'German');
    await page.getByText('No transcript matches this filter.').waitFor();
    await form.getByRole('button', { name: 'Clear the filter' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('[data-row-link]').count()).toBe(3);
    await expect.poll(() => page.getByRole('button', { name: /^Remove filter/ }).count()).toBe(0);
  });

  it.each([
    ['popover', 'Filter'],
    ['menu', 'Newest first'],
  ])('returns the focus from a closed %s, unless it has moved on by then', async (_, name) => {
    const { page } = window;
    const trigger = page.getByRole('button', { name });
    const focusAfterEscape = (movesOn: boolean) =>
      page.evaluate(async (moves) => {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        // React renders in a microtask; the focus returns in a timer, so this one comes after it.
        await Promise.resolve();
        if (moves) document.querySelector<HTMLElement>('[data-row-link]')?.focus();
        await new Promise((done) => setTimeout(done));
        return document.activeElement?.textContent;
      }, movesOn);
    const open = async () => {
      await trigger.press('Enter');
      await page.waitForFunction(
        () => document.activeElement?.closest('[data-radix-popper-content-wrapper]') !== null,
      );
    };
    await open();
    expect(await focusAfterEscape(false)).toBe(name);
    await open();
    expect(await focusAfterEscape(true)).toBe(await page.locator('[data-row-link]').first().textContent());
  });

  it('returns the focus from a closed dialog to what had it before', async () => {
    const { page } = window;
    const dialog = page.getByRole('dialog');
    const row = page.locator('[data-row-link]').first();
    for (const key of ['n', 'Control+k', '?']) {
      await row.press(key);
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => row.evaluate((link) => link === document.activeElement)).toBe(true);
    }
  });

  it('restores deleted transcripts by Ctrl Z or by a reload before the deletion is sent', async () => {
    const { page } = window;
    const links = page.locator('[data-row-link]');
    await window.holdingToasts(async () => {
      await links.first().focus();
      await page.keyboard.press('Delete');
      await expect.poll(() => links.count()).toBe(2);
      // The next row has the focus, so that the keyboard keeps working.
      await page.waitForFunction(() => document.activeElement?.matches('[data-row-link]') === true);
      await page.keyboard.press('Control+z');
      await expect.poll(() => links.count()).toBe(3);
      await links.first().focus();
      await page.keyboard.press('Delete');
      await expect.poll(() => links.count()).toBe(2);
      await page.reload();
      await expect.poll(() => links.count()).toBe(3);
    });
  });

  it('shows and reorders the queue, and cancels a job', async () => {
    const { page } = window;
    await window.go('#/queue');
    const first = page.getByRole('listitem').filter({ hasText: '#1 in line' });
    await first.waitFor();
    const before = (await first.getByRole('link').textContent()) ?? '';
    await first.getByRole('button', { name: /down$/ }).click();
    await page.getByRole('listitem').filter({ hasText: '#2 in line' }).filter({ hasText: before }).waitFor();
    await page.getByRole('button', { name: `Stop ${before}` }).click();
    await page.getByRole('link', { name: before }).waitFor({ state: 'detached' });
    await page.getByText('Paused:', { exact: false }).waitFor();
  });

  it('shows why a job failed, and retries it', async () => {
    const { page } = window;
    let answers = 0;
    const missing = createServer((_request, response) => {
      answers++;
      response.writeHead(404).end();
    });
    await new Promise<void>((done) => missing.listen(0, '127.0.0.1', done));
    const address = missing.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    await server.client.call('resumeQueue');
    await window.go('#/');
    await page
      .getByRole('button', { name: /^New transcription/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('textbox', { name: 'Link to audio or video' })
      .fill(`http://127.0.0.1:${port}/gone.mp3`);
    await dialog.getByRole('button', { name: 'Add link' }).click();
    await dialog.getByRole('button', { name: /^Transcribe/ }).click();
    const row = page.getByRole('row').filter({ hasText: 'gone.mp3' });
    await row.getByText('answered 404', { exact: false }).waitFor({ timeout: 120_000 });
    const before = answers;
    await row.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => answers, { timeout: 90_000 }).toBeGreaterThan(before);
    // The page of the job says what was asked for, why it failed and what can be done.
    await row.getByText('answered 404', { exact: false }).waitFor({ timeout: 90_000 });
    await page.getByRole('link', { name: 'gone.mp3' }).click();
    const failed = page.getByRole('main').getByRole('alert');
    await failed.getByText('answered 404', { exact: false }).waitFor();
    await failed.getByText('Open the link to see whether it works', { exact: false }).waitFor();
    expect(await failed.getByRole('link').getAttribute('href')).toBe(`http://127.0.0.1:${port}/gone.mp3`);
    await failed.getByRole('button', { name: 'Try again' }).waitFor();
    await failed.getByRole('button', { name: 'Delete' }).waitFor();
    expect(await window.violations()).toEqual([]);
    missing.close();
  });

  it('tries a job again, and cancels it, once for a double click', async () => {
    const { page } = window;
    const sent: string[] = [];
    const note = (request: { method(): string; url(): string }) => {
      if (request.method() === 'POST') sent.push(request.url().replace(/.*\//, ''));
    };
    await server.client.call('pauseQueue');
    onTestFinished(async () => void (await server.client.call('resumeQueue')));
    page.on('request', note);
    const again = page.getByRole('main').getByRole('button', { name: 'Try again' });
    await again.dblclick();
    await page.getByRole('button', { name: 'Stop', exact: true }).dblclick();
    await page.getByRole('main').getByRole('button', { name: 'Continue' }).waitFor();
    await window.go('#/');
    const row = page.getByRole('row').filter({ hasText: 'gone.mp3' });
    await row.getByRole('button', { name: 'Continue' }).dblclick();
    await row.getByRole('button', { name: 'Continue' }).waitFor({ state: 'detached' });
    const { id } = await server.client.call('createTranscript', {
      body: { audio_url: 'http://127.0.0.1:9/next.mp3', name: 'next' },
    });
    await window.go('#/queue');
    const stop = page.getByRole('button', { name: 'Stop gone.mp3' });
    const { x, y } = (await stop.boundingBox()) ?? { x: 0, y: 0 };
    await stop.click();
    await stop.waitFor({ state: 'detached' });
    expect((await page.getByRole('button', { name: 'Stop next' }).boundingBox())?.y).toBe(y);
    await page.mouse.move(x + 10, y + 10);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect((await server.client.call('getTranscript', { params: { id } })).status).toBe('processing');
    page.off('request', note);
    await server.client.call('deleteTranscript', { params: { id } });
    expect(sent).toEqual(['retry', 'cancel', 'retry', 'cancel']);
  });

  it('refuses what is no recording before its upload', async () => {
    const { page } = window;
    await window.go('#/');
    const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Groceries: milk, Käse') };
    const image = { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47]) };
    const dialog = page.getByRole('dialog', { name: 'New transcription' });
    await page.getByTestId('file-input').setInputFiles(text);
    await dialog.getByRole('alert').getByText('This is not an audio or video file.').waitFor();
    expect(await dialog.getByRole('button', { name: /^Transcribe/ }).isDisabled()).toBe(true);
    expect(await window.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByTestId('file-input').setInputFiles([text, image, { ...text, name: 'song.mp3' }]);
    await expect.poll(() => dialog.getByText('This is not an audio or video file.').count()).toBe(3);
    await page.keyboard.press('Escape');
  });

  it('offers another try only where it can help', async () => {
    const { page } = window;
    const pages = await startUrlServer();
    pages.set('/noise.mp3', file(Buffer.from('not a recording')));
    await server.client.call('createTranscript', {
      body: { audio_url: pages.url('/noise.mp3'), model: 'mini', name: 'noise' },
    });
    const row = page.getByRole('row').filter({ hasText: 'noise' });
    await row.locator('.text-bad').first().waitFor({ timeout: 90_000 });
    await expect.poll(() => row.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'noise' }).click();
    const failed = page.getByRole('main').getByRole('alert');
    await failed.getByText('Check whether another program plays it.', { exact: false }).waitFor();
    await expect.poll(() => failed.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await window.holdingToasts(async () => {
      await failed.getByRole('button', { name: 'Delete' }).click();
      await window.toast('Deleted').waitFor();
    });
    await page.getByRole('link', { name: 'noise' }).waitFor({ state: 'detached' });
    await pages.close();
  });

  it('filters by status and sorts', async () => {
    const { page } = window;
    await page.getByRole('button', { name: /^Stopped/ }).click();
    await page.getByRole('link', { name: 'gone.mp3' }).waitFor();
    // Each was stopped in an earlier test.
    await expect.poll(() => page.locator('[data-row-link]').count()).toBe(2);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Newest first' }).click();
    await page.getByRole('menuitem', { name: 'Oldest first' }).click();
    await page.getByRole('link', { name: '01-short-note' }).waitFor();
    await expect.poll(() => page.locator('[data-row-link]').count()).toBe(4);
  });

  it('deletes several selected transcripts', async () => {
    const { page } = window;
    const rows = page.locator('[data-row-link]');
    const count = await rows.count();
    await rows.first().focus();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.closest('[data-index="1"]') !== null);
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await window.toasted('2 deleted');
    await expect.poll(() => rows.count()).toBe(count - 2);
  });

  it('shows the whole reason of a failure by pointer, keys and touch', async () => {
    const failed = await server.client.call('createTranscript', {
      body: {
        audio_url: 'http://127.0.0.1:9/a-recording-with-a-long-name-that-no one-can-reach.mp3',
        name: 'Lost',
        model: 'mini',
        wait_until_complete: true,
      },
    });
    const reason = failed.error?.message ?? '';
    const { page } = window;
    const row = page.getByRole('row').filter({ hasText: 'Lost' });
    const link = row.getByRole('link', { name: reason });
    const whole = row.locator('[data-whole-text]');
    await page.setViewportSize({ width: 400, height: 820 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await window.go('#/');
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    const isCut = await link.evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(isCut).toBe(true);
    for (const reach of ['hover', 'focus'] as const) {
      await link[reach]();
      await expect.poll(() => whole.allTextContents()).toEqual([reason]);
      // Both show the same element.
      if (reach === 'focus') expect(await window.violations('all')).toEqual([]);
      await page.mouse.move(0, 0);
      await page.keyboard.press('Escape');
      await whole.waitFor({ state: 'detached' });
    }
    // A tap leads to the page that says all of it.
    await link.click();
    await page.getByRole('main').getByRole('alert').getByText(reason).waitFor();
  });
});
