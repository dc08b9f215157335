import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { runHere } from '../support/command-line.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { startWithStored } from '../support/stored-transcripts.ts';

const ended = (code: 'cancelled' | 'not_media') => ({
  status: 'failed' as const,
  text: '',
  preview: '',
  duration: 0,
  error: { code, message: 'Ended.', stage: 'transcribing' as const },
});

describe('a transcription that its user stopped', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let stopped: string;
  const segments = spokenFor(0.1);

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => {
      storeTranscript(dataDir, [], { name: 'Broken' }, ended('not_media'));
      return storeTranscript(dataDir, segments, { name: 'Halted' }, ended('cancelled'));
    });
    [server, stopped, browser] = [started.server, started.stored, await borrowBrowser()];
    window = await openWindow(browser, server, { width: 1024 });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it('has a reason in the API, which lists and counts it by itself', async () => {
    const listed = async (query: Parameters<typeof server.client.call<'listTranscripts'>>[1]) =>
      (await server.client.call('listTranscripts', query)).data;
    const { transcriptions } = await listed({});
    expect(transcriptions.map(({ name, status, status_reason }) => [name, status, status_reason])).toEqual([
      ['Halted', 'failed', 'cancelled'],
      ['Broken', 'failed', 'error'],
    ]);
    for (const [status_reason, name] of [
      ['cancelled', 'Halted'],
      ['error', 'Broken'],
    ] as const) {
      const data = await listed({ query: { status_reason } });
      expect(data.transcriptions.map((each) => each.name)).toEqual([name]);
      expect(data.pagination.total).toBe(1);
    }
    expect((await listed({ query: { status: 'failed' } })).pagination.total).toBe(2);
    const shown = await server.client.call('getTranscript', { params: { id: stopped } });
    expect([shown.status, shown.status_reason, shown.segments.length]).toEqual([
      'failed',
      'cancelled',
      segments.length,
    ]);
  });

  it('is not among the failed ones in the library and on the command line', async () => {
    const { page } = window;
    const row = page.getByRole('row', { name: 'Halted' });
    await row.getByRole('link', { name: 'Stopped' }).waitFor();
    await page.getByRole('button', { name: 'Stopped 1' }).click();
    await expect.poll(() => page.locator('[data-row-link]').allInnerTexts()).toEqual(['Halted']);
    await page.getByRole('button', { name: 'Failed 1' }).click();
    await expect.poll(() => page.locator('[data-row-link]').allInnerTexts()).toEqual(['Broken']);
    const { out } = await runHere(server.dataDir, 'transcripts', 'list', '--status', 'stopped');
    expect(out).toMatch(/stopped +Halted/);
    expect(out).not.toContain('Broken');
    expect(await window.violations()).toEqual([]);
  });

  it('shows all that was recognized until then, plays, exports and finds in it, and can continue', async () => {
    const { page } = window;
    await window.go(`#/transcript/${stopped}`);
    await page.getByRole('heading', { name: 'You stopped this transcription' }).waitFor();
    await page.getByText('What was recognized up to 6:0').waitFor();
    const text = page.getByRole('region', { name: 'Text', exact: true });
    await text.locator('[data-w="0"]').waitFor();
    expect(await text.textContent()).toContain(segments[0]?.text);
    await text.getByRole('article').first().press('End');
    await expect.poll(() => text.textContent()).toContain(segments.at(-1)?.text);
    expect(await page.getByText('failed').count()).toBe(0);
    expect(await window.violations()).toEqual([]);
    // The audio is there where it is a stored file; of this one nothing is kept, which the player says.
    const player = page.getByRole('region', { name: 'Player' });
    await player.getByText('no longer stored').waitFor();
    await player.getByText('/ 6:0').waitFor();
    await page.keyboard.press('Control+f');
    const find = page.getByRole('search').filter({ has: page.getByRole('button', { name: 'Whole words' }) });
    await find.getByRole('searchbox').fill(segments[0]?.text.slice(0, 12) ?? '');
    await find.getByText(/^1 of \d+$/).waitFor();
    // A text that grows when the job goes on is not edited.
    expect(await find.getByRole('button', { name: 'Replace all' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: /^Save as/ }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(segments.at(-1)?.text);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page
      .getByRole('heading', { name: 'You stopped this transcription' })
      .waitFor({ state: 'detached' });
  });
});
