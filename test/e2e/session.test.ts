import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { breadth } from '../support/breadth.ts';
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
    const { page, context } = opened;
    await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
    // A tab has a session of its own.
    const other = await context.newPage();
    await other.goto(link);
    await other.getByRole('heading', { name: 'This link has been used' }).waitFor();
    await other.getByText('earshot open').waitFor();
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
    await other.close();
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
    for (const screen of breadth(['Queue', 'Library'], ['Queue', 'Files', 'API', 'Settings', 'Library'])) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).last().click();
      await banner.waitFor();
    }
    const { port } = new URL(server.url);
    server = await startServer({ dataDir: server.dataDir, args: [...SYNTHETIC, '--port', port] });
    await banner.waitFor({ state: 'detached' });
  });
});
