import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

describe('first load and requests', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), borrowBrowser()]);
    window = await openWindow(browser, server);
    await window.settle();
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  /** An answer with its decoded body. Not `fetch`, which turns off conditional requests. */
  const get = async (path: string, headers: Record<string, string>) => {
    const request = http.get(server.url + path, { headers });
    const [response]: IncomingMessage[] = await once(request, 'response');
    if (response === undefined) throw new Error('There is no response.');
    const bytes = await buffer(response);
    const { 'content-encoding': encoding } = response.headers;
    const body =
      bytes.length > 0 && encoding === 'br'
        ? brotliDecompressSync(bytes)
        : bytes.length > 0 && encoding === 'gzip'
          ? gunzipSync(bytes)
          : bytes;
    return { status: response.statusCode, headers: response.headers, text: body.toString('utf8') };
  };
  const scriptPath = async () => {
    const { text } = await get('/', { 'accept-encoding': 'identity' });
    const path = /src="\.(\/assets\/[^"]+\.js)"/.exec(text)?.[1];
    if (path === undefined) throw new Error('The page has no script.');
    return path;
  };

  it('sends what the build compressed to a browser that accepts it', async () => {
    const script = await scriptPath();
    for (const path of [script, '/']) {
      const plain = await get(path, { 'accept-encoding': 'identity' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      const tags = new Set([plain.headers.etag]);
      for (const encoding of ['br', 'gzip']) {
        const { headers, text } = await get(path, { 'accept-encoding': encoding });
        expect(headers['content-encoding']).toBe(encoding);
        expect(headers['content-type']).toBe(plain.headers['content-type']);
        expect(headers['cache-control']).toBe(plain.headers['cache-control']);
        expect(headers['content-security-policy']).toBe(plain.headers['content-security-policy']);
        expect(headers.vary).toMatch(/accept-encoding/i);
        expect(text === plain.text).toBe(true);
        const tag = headers.etag ?? '';
        tags.add(tag);
        const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': tag });
        expect(again.status).toBe(304);
      }
      // Each form has a tag of its own, so that no cache mixes them.
      expect(tags.size).toBe(3);
    }
    expect((await get(script, { 'accept-encoding': 'br;q=0, gzip' })).headers['content-encoding']).toBe(
      'gzip',
    );
  });

  it('asks for the first page of the library at once, and only once', async () => {
    const { page } = window;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url().slice(server.url.length)));
    await page.reload();
    await window.settle();
    const calls = asked.filter((path) => path.startsWith('/v1/'));
    const list = calls.filter((path) => path.startsWith('/v1/transcript/user?page=1&'));
    expect(list).toHaveLength(1);
    // Beside the stream of events nothing goes before it, such as a request that tries the key.
    expect(calls.slice(0, 2)).toEqual(expect.arrayContaining(list));
  });

  it('needs less than 300 kB of scripts, those of the screens that are fetched ahead included', async () => {
    const { page } = window;
    const scripts = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .flatMap((each) =>
            each instanceof PerformanceResourceTiming && each.name.endsWith('.js')
              ? [{ name: each.name, bytes: each.encodedBodySize }]
              : [],
          ),
      );
    // The last of the screens that are fetched ahead.
    await expect
      .poll(async () => (await scripts()).some(({ name }) => name.includes('transcript-screen')))
      .toBe(true);
    const total = (await scripts()).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThan(300_000);
    expect(window.errors).toEqual([]);
  });

  it('does not open a dialog that Escape closed before its code was there', async () => {
    const { page } = window;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/shortcuts-dialog*.js', async (route) => {
      await released;
      await route.continue();
    });
    const requested = page.waitForRequest('**/shortcuts-dialog*.js');
    await page.keyboard.press('?');
    const url = (await requested).url();
    await page.keyboard.press('Escape');
    release();
    // React shows what it waited for at most 0.3 s after its code was executed.
    await page.evaluate(
      `import(${JSON.stringify(url)}).then(() => new Promise((done) => setTimeout(done, 600)))`,
    );
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/shortcuts-dialog*.js');
  });

  it('keeps the page if the code of a dialog cannot be fetched', async () => {
    const { page } = window;
    await page.route('**/create-dialog*.js', (route) => route.abort());
    await page
      .getByRole('button', { name: /^New transcription/ })
      .first()
      .click();
    const failed = page.getByRole('dialog', { name: 'This could not be opened' });
    await failed.getByRole('alert').waitFor();
    expect(await window.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Drop a recording, or paste a link' }).waitFor();
    await page
      .getByRole('button', { name: /^New transcription/ })
      .first()
      .click();
    await page.unroute('**/create-dialog*.js');
    await failed.getByRole('button', { name: 'Try again' }).click();
    // The page is loaded again, because browsers remember a failed import.
    await failed.waitFor({ state: 'detached' });
    await window.settle();
    await page
      .getByRole('button', { name: /^New transcription/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: 'New transcription' }).waitFor();
  });

  it('fetches an address once, however many parts of the window show it', async () => {
    const { page } = window;
    // The dialog and the errors of the test above.
    await page.keyboard.press('Escape');
    window.errors.splice(0);
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
    await server.client.call('pauseQueue');
    const { id } = await server.client.call('createTranscript', {
      body: { audio_url: 'http://127.0.0.1:9/x.mp3', name: 'A first name' },
    });
    await page.getByRole('link', { name: 'A first name' }).waitFor();
    await server.client.call('patchTranscript', { params: { id }, body: { name: 'A new name' } });
    await page.getByRole('link', { name: 'A new name' }).waitFor();
    await server.client.call('deleteTranscript', { params: { id } });
    await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
    expect(window.errors).toEqual([]);
  });

  it('opens dialogs and screens for the first time also when the server is gone', async () => {
    const { page } = window;
    await page.reload();
    await window.settle();
    const ahead = await page
      .locator('link[rel=prefetch]')
      .evaluateAll((links) => links.flatMap((link) => (link instanceof HTMLLinkElement ? [link.href] : [])));
    expect(ahead.length).toBeGreaterThan(5);
    await expect
      .poll(() =>
        page.evaluate(
          (urls) =>
            urls.filter(
              (url) =>
                !performance
                  .getEntriesByName(url)
                  .some((each) => each instanceof PerformanceResourceTiming && each.responseEnd > 0),
            ),
          ahead,
        ),
      )
      .toEqual([]);
    await server.kill();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByRole('dialog', { name: 'Record from the microphone' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  });
});
