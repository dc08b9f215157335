import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, SYNTHETIC, spawnEarshot, startServer, type TestServer } from '../support/server.ts';

/** The link that `earshot serve` prints. */
const printedLink = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: output })) {
    const link = /http:\/\/\S+#token=\S+/.exec(line)?.[0];
    if (link !== undefined) return link;
  }
  throw new Error('No link was printed.');
};

describe('session', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), borrowBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  it('opens once by the printed link, then by the session, and removes the token from the address', async () => {
    const link = server.loginUrl;
    const at = link.slice(`${server.url}/`.length);
    const opened = await openWindow(browser, server, { signedIn: false, at });
    const { page } = opened;
    await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
    // Another browser has no session.
    const stranger = await openWindow(browser, server, { signedIn: false, own: true, at });
    const other = stranger.page;
    await other.getByRole('heading', { name: 'This link has been used' }).waitFor();
    await other.getByText('earshot open', { exact: true }).waitFor();
    await other.getByText('Your corrections are kept').waitFor();
    const again = await spawnEarshot(['serve', '--data-dir', server.dataDir]);
    if (again.stderr === null) throw new Error('The second command prints nothing.');
    const exit = once(again, 'exit');
    const fresh = await printedLink(again.stderr);
    expect(await exit).toEqual([0, null]);
    expect(fresh).not.toBe(link);
    // Only the hash changes, so the page is not loaded again.
    await other.evaluate((to) => globalThis.location.assign(to), `${fresh}&to=%2Fqueue`);
    await other.getByRole('heading', { name: 'Queue', exact: true }).waitFor({ state: 'attached' });
    expect(new URL(other.url()).hash).toBe('#/queue');
    await stranger.close();
    await opened.close();
  });

  it('covers the tabs of its browser, and outlives the service', async () => {
    const { data } = await server.client.call('createLoginLink');
    const at = data.url.slice(`${server.url}/`.length);
    const opened = await openWindow(browser, server, { signedIn: false, own: true, at });
    const { page, context } = opened;
    const outdated = (tab: Page) => tab.getByRole('alert').filter({ hasText: 'may be out of date' });
    const library = (tab: Page) => tab.getByRole('heading', { name: 'Library', exact: true });
    await library(page).waitFor({ state: 'attached' });
    const second = await context.newPage();
    await second.goto(`${server.url}/#/queue`);
    await second.getByRole('heading', { name: 'Queue', exact: true }).waitFor({ state: 'attached' });
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));

    const { port } = new URL(server.url);
    await server.stop();
    for (const tab of [page, second]) await outdated(tab).waitFor();
    server = await startServer({ dataDir: server.dataDir, args: [...SYNTHETIC, '--port', port] });
    for (const tab of [page, second]) await outdated(tab).waitFor({ state: 'detached' });
    await second.getByRole('heading', { name: 'Queue', exact: true }).waitFor({ state: 'attached' });
    expect(await page.evaluate('isSamePage')).toBe(true);
    expect(new URL(second.url()).hash).toBe('#/queue');
    const third = await context.newPage();
    await third.goto(server.url);
    await library(third).waitFor({ state: 'attached' });
    await opened.close();
  });

  it('keeps half of the browser’s secret where neither scripts nor other ports nor sites get it', async () => {
    const { data } = await server.client.call('createLoginLink');
    const token = new URL(data.url).hash.slice('#token='.length);
    const post = (path: string, body: unknown, headers: Record<string, string>) =>
      fetch(`${server.url}/v1/session${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, ...headers },
        body: JSON.stringify(body),
      });
    const answer = await post('', { token }, {});
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; Path=\/v1\/session\/resume; .*HttpOnly; SameSite=Strict$/);
    const [pair = ''] = cookie.split(';');
    const { browser: half } = (await answer.json()).data;
    expect((await post('/resume', { browser: half }, { cookie: pair })).status).toBe(200);
    const refused = [
      post('/resume', { browser: half }, {}),
      post('/resume', { browser: 'x' }, { cookie: pair }),
      post('/resume', { browser: half }, { cookie: pair, origin: 'http://127.0.0.1:1' }),
      post('/resume', { browser: half }, { cookie: pair, origin: 'https://evil.example' }),
      // No endpoint takes the cookie for a key.
      fetch(`${server.url}/v1/transcript/recent`, { headers: { cookie: pair, origin: server.url } }),
    ];
    const statuses = await Promise.all(refused.map(async (request) => (await request).status));
    expect(statuses).toEqual([401, 401, 403, 403, 401]);
    const bare = await fetch(`${server.url}/v1/session/resume`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: pair },
      body: JSON.stringify({ browser: half }),
    });
    expect(bare.status).toBe(401);
  });

  it('that ended leads back to where one was, with the exact command', async () => {
    const { data } = await server.client.call('createLoginLink');
    const at = data.url.slice(`${server.url}/`.length);
    const opened = await openWindow(browser, server, { signedIn: false, own: true, at });
    const { page, context } = opened;
    await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
    await opened.go('#/files');
    const command = await page.evaluate(() => localStorage.getItem('earshot.openCommand'));
    expect(command).toMatch(/open --data-dir /);
    await page.evaluate(() => {
      sessionStorage.clear();
      localStorage.removeItem('earshot.browser');
    });
    await page.reload();
    await page.getByText(command ?? '', { exact: true }).waitFor();
    expect(await opened.violations()).toEqual([]);
    const { data: next } = await server.client.call('createLoginLink');
    const tab = await context.newPage();
    await tab.goto(next.url);
    await tab.getByRole('heading', { name: 'Files', exact: true }).waitFor({ state: 'attached' });
    await opened.close();
  });

  it('accepts an API key and rejects a wrong one', async () => {
    window = await openWindow(browser, server, { signedIn: false });
    const { page } = window;
    await page.getByRole('heading', { name: 'Open Earshot with a new link' }).waitFor();
    expect(await window.violations()).toEqual([]);
    await page.getByRole('textbox').fill('ek_wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('does not know this key').waitFor();
    await page.getByRole('textbox').fill(server.key);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
  });

  it('sends a Content-Security-Policy without foreign and inline scripts', async () => {
    const answer = await fetch(`${server.url}/`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const scripts = /script-src ([^;]*)/.exec(policy)?.[1];
    expect(scripts).toBe("'self'");
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/);
  });

  it('shows a lost connection, keeps loaded content, and reconnects', async () => {
    const { page } = window;
    await window.go('#/models');
    await page.getByText('Whisper base').first().waitFor();
    await server.stop();
    const banner = page.getByRole('alert').filter({ hasText: 'may be out of date' });
    await banner.waitFor();
    await page.getByText('Whisper base').first().waitFor();
    expect(await window.violations()).toEqual([]);
    // The same element is above them all.
    for (const screen of ['Queue', 'Library']) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).last().click();
      await banner.waitFor();
    }
    const { port } = new URL(server.url);
    server = await startServer({ dataDir: server.dataDir, args: [...SYNTHETIC, '--port', port] });
    await banner.waitFor({ state: 'detached' });
  });
});
