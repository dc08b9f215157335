import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribeFixture } from '../support/transcribe.ts';

describe('requests of the window', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ quick: true }), borrowBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it('fetches an address once, however many parts of the window show it', async () => {
    window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE } });
    const { page } = window;
    await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
    const asked: string[] = [];
    const unanswered = new Set<Request>();
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (request.method() !== 'GET' || !pathname.startsWith('/v1/') || pathname === '/v1/events') return;
      asked.push(`${pathname}${search}`);
      unanswered.add(request);
    });
    page.on('requestfinished', (request) => unanswered.delete(request));
    page.on('requestfailed', (request) => unanswered.delete(request));
    /** A screen that is left takes its requests back, and asks again when it is shown again. */
    const untilAnswered = () => expect.poll(() => unanswered.size).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
    // The first steps, the New dialog and the models screen all list the models.
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('radio', { name: 'Mini' }).waitFor();
    await page.keyboard.press('Escape');
    await untilAnswered();
    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByText('No files').waitFor();
    await untilAnswered();
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
    await untilAnswered();
    expect(asked).toContain('/v1/models');
    expect(asked.filter((address, at) => asked.indexOf(address) !== at)).toEqual([]);
  });

  it('shows what another client creates, renames and deletes', async () => {
    const { page } = window;
    const id = await transcribeFixture(server, fixturePath(ONE_SENTENCE), undefined, {
      model: 'starter-parakeet',
    });
    await page.locator('[data-row-link]').waitFor();
    await server.client.call('patchTranscript', { params: { id }, body: { name: 'A new name' } });
    await page.getByRole('link', { name: 'A new name' }).waitFor();
    await server.client.call('deleteTranscript', { params: { id } });
    await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
    expect(window.errors).toEqual([]);
  });
});
