import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheDir } from '../../../native/build.mjs';
import { type Browser, borrowBrowser, openWindow } from '../../support/browser.ts';
import { ffmpeg } from '../../support/ffmpeg.ts';
import { fixturePath } from '../../support/fixtures.ts';
import { CLI_ENTRY, ROOT } from '../../support/paths.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { patternOf, readSnippets, type Snippet } from './support/snippets.ts';

const run = promisify(execFile);

let server: TestServer;
let folder: string;
let snippets: Snippet[];

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => done(port));
    });
  });

/** A folder as the guide's reader has it: with a recording, the packages, and `earshot` on the PATH. */
const prepare = async (path: string): Promise<void> => {
  const recording = join(path, 'talk.mp3');
  await ffmpeg('-i', fixturePath('01-short-note.wav'), '-t', '4.3', recording);
  mkdirSync(join(path, 'node_modules'));
  for (const name of ['openai', 'assemblyai']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(path, 'node_modules', name));
  }
  mkdirSync(join(path, 'bin'));
  const command = join(path, 'bin', 'earshot');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${CLI_ENTRY}" "$@"\n`);
  chmodSync(command, 0o755);
};

beforeAll(async () => {
  folder = temporaryFolder();
  await prepare(folder);
  server = await startServer({ quick: true, model: 'starter-parakeet' });
  snippets = readSnippets({ url: server.url, webhookPort: await freePort() });
});

afterAll(async () => {
  await discard(server);
});

const environment = () => ({
  ...process.env,
  NODE_COMPILE_CACHE: join(cacheDir(), 'code'),
  PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
  EARSHOT_DATA_DIR: server.dataDir,
  EARSHOT_API_KEY: server.key,
});

const execute = async (program: string, args: readonly string[]): Promise<string> => {
  const { stdout } = await run(program, args, { cwd: folder, env: environment() });
  return stdout;
};

const of = (language: string): Snippet[] => snippets.filter((snippet) => snippet.language === language);

const check = ({ section, code, output }: Snippet, printed: string): void => {
  expect(output, `${section}: ${code}`).toBeDefined();
  expect(printed.replaceAll('\r\n', '\n').trim(), `${section}: ${code}`).toMatch(
    patternOf(output?.trim() ?? ''),
  );
};

describe('the snippets of the guide', () => {
  it('are all of a language that the tests run, or started by the test itself', () => {
    const languages = new Set(snippets.map(({ language }) => language));
    expect([...languages].sort()).toEqual(['console', 'js', 'json', 'python', 'sh']);
    expect(of('console').map(({ code }) => code)).toEqual(['earshot serve']);
    expect(of('json').map(({ code }) => JSON.parse(code))).toHaveLength(1);
  });

  it('run in the shell, one after the other', async () => {
    const mark = '=====';
    const script = ['set -e', ...of('sh').map(({ code }) => `${code}\necho; echo ${mark}`)].join('\n');
    const printed = (await execute('bash', ['-c', script])).split(`${mark}\n`);
    for (const [index, snippet] of of('sh').entries()) check(snippet, printed[index] ?? '');
  });

  it('run in Python, each by itself', async () => {
    for (const snippet of of('python')) check(snippet, await execute('python3', ['-c', snippet.code]));
  });

  it('run in JavaScript, each by itself', async () => {
    // The tests of the package `earshot-client` make the calls of its snippet.
    const snippets = of('js').filter(({ code }) => !code.includes("'earshot-client'"));
    expect(snippets).toHaveLength(4);
    for (const [index, snippet] of snippets.entries()) {
      const file = join(folder, `snippet-${index}.mjs`);
      writeFileSync(file, snippet.code);
      check(snippet, await execute(process.execPath, [file]));
    }
  });
});

describe('the page of the guide', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await borrowBrowser();
  });
  afterAll(() => browser.close());

  it('shows every snippet with this server’s address, under a strict policy', async () => {
    const response = await fetch(`${server.url}/docs/guide`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe|https?:/);
    const html = await response.text();
    expect(html).toContain(server.url);
    expect(html).not.toContain('127.0.0.1:3277');
    expect(html.match(/class="copy"/g)?.length).toBe(snippets.length);
    const document = await (await fetch(`${server.url}/openapi.json`)).json();
    expect(document.info.description).toContain('/docs/guide');
  });

  it('is accessible in light and dark, copies code, and fits a phone without scrolling sideways', async () => {
    const window = await openWindow(browser, server, { at: 'docs/guide' });
    const { page } = window;
    expect(await page.locator('nav ol a').count()).toBe(await page.locator('main h2').count());
    expect(await window.violations()).toEqual([]);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    expect(await background()).not.toBe(light);
    expect(await window.violations('colors')).toEqual([]);
    await page.locator('button.copy').first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('earshot serve');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    expect(page.url()).toMatch(/#webhooks$/);
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    await window.close();
  });
});

it('serves every file of the guide', async () => {
  const names = readdirSync(join(ROOT, 'resources', 'guide')).sort();
  expect(names).toEqual(['guide.css', 'guide.js', 'guide.md']);
  for (const name of ['guide.css', 'guide.js']) {
    expect((await fetch(`${server.url}/docs/${name}`)).status).toBe(200);
  }
});
