import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, violationsInThemes } from '../support/browser.ts';
import { discard, spawnEarshot, startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** A library with one stored file, whose server has ended. */
const whole = temporaryFolder();
let browser: Browser;
let dataDir: string;
let database: string;

beforeAll(async () => {
  browser = await borrowBrowser();
  const server = await startServer({ dataDir: whole });
  const body = new FormData();
  body.set('file', new File(['a note'], 'note.txt'));
  await server.client.call('uploadFile', { body });
  await server.stop();
});
afterAll(async () => {
  await browser.close();
});

const overwrite = (from: number, length: number, byte: number): void => {
  const file = openSync(database, 'r+');
  writeSync(file, Buffer.alloc(length, byte), 0, length, from);
  closeSync(file);
};

beforeEach(() => {
  dataDir = temporaryFolder();
  database = join(dataDir, 'earshot.db');
  cpSync(whole, dataDir, { recursive: true });
});

/** A program in place of a browser: notes its address, and ends once the file `close` exists. */
const fakeBrowser = (): string => {
  const path = join(temporaryFolder(), 'browser');
  writeFileSync(
    path,
    `#!/bin/sh
for option in "$@"; do case "$option" in --app=*) printf '%s' "\${option#--app=}" > "$0.new";; esac; done
mv "$0.new" "$0.url"
until [ -e "$0.close" ]; do sleep 0.1; done
`,
  );
  chmodSync(path, 0o755);
  return path;
};

describe.runIf(process.platform === 'linux')('a library that does not open', () => {
  it('is explained in the window, and to programs', async () => {
    overwrite(0, 100, 0);
    const program = fakeBrowser();
    const child = await spawnEarshot(['open', '--port', '0', '--data-dir', dataDir], {
      EARSHOT_CHROMIUM: program,
      DISPLAY: ':99',
    });
    if (child.stderr === null) throw new Error('no output to read');
    const closed = once(child, 'close');
    const said = text(child.stderr);
    await until(() => existsSync(`${program}.url`));
    const url = new URL(readFileSync(`${program}.url`, 'utf8')).origin;
    const page = await browser.newPage({ locale: 'en-US' });
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 400],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 820 });
      await page.goto(`${url}/`);
      await page.getByRole('heading', { name: 'Your library is damaged' }).waitFor();
      await page.getByText('earshot doctor --repair').waitFor();
      const overflows = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(overflows).toBe(false);
    }
    await page.close();
    const answer = await fetch(`${url}/v1/storage/files`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ success: false, code: 'library_damaged' });
    writeFileSync(`${program}.close`, '');
    expect((await closed)[0]).toBe(1);
    expect(await said).toContain('is damaged. Nothing was changed. Run `earshot doctor`');
  }, 180_000);
});

it('damage that another program meets shows above every screen, also after the window is loaded again', async () => {
  const server = await startServer({ dataDir });
  const other = new BetterSqlite3(database);
  const pages = other
    .prepare("SELECT pageno FROM dbstat WHERE name IN ('files', 'sqlite_autoindex_files_1')")
    .pluck()
    .all();
  // The server's cached pages are out of date after a write by another connection.
  other.prepare("INSERT INTO meta (key, value) VALUES ('test', '1')").run();
  other.pragma('wal_checkpoint(TRUNCATE)');
  other.close();
  for (const page of pages) overwrite((Number(page) - 1) * 4096, 4096, 0xa5);
  // A screen that does not read what is damaged.
  const window = await openWindow(browser, server, { at: '#/settings' });
  await window.settle();
  const banner = window.page.getByRole('alert').filter({ hasText: 'Your library is damaged' });
  expect(await banner.count()).toBe(0);
  await expect(server.client.call('listFiles', {})).rejects.toMatchObject({ code: 'library_damaged' });
  await banner.waitFor();
  expect(await violationsInThemes(window)).toEqual([]);
  await window.page.reload();
  await banner.waitFor();
  await window.page.getByRole('link', { name: 'Files' }).last().click();
  await window.page.getByText('database is damaged').first().waitFor();
  await banner.waitFor();
  await window.close();
  await discard(server);
});
