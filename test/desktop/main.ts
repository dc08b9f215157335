// `npm run test:desktop`: runs the desktop program, or reports it as skipped if Electron's binary is missing.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ElectronApplication, _electron as electron, type Page } from 'playwright-core';
import { ROOT } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PACKAGE = join(ROOT, 'node_modules', 'electron');

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Electron's binary; undefined if it was never downloaded. */
const binary = (): string | undefined => {
  const name = join(PACKAGE, 'path.txt');
  if (!existsSync(name)) return undefined;
  const path = join(PACKAGE, 'dist', readFileSync(name, 'utf8').trim());
  return existsSync(path) ? path : undefined;
};

const CHECKS: readonly (readonly [string, (app: ElectronApplication, page: Page) => Promise<void>])[] = [
  [
    'opens its own window on the library',
    async (_app, page) => {
      await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
      assert.match(page.url(), /^http:\/\/127\.0\.0\.1:\d+\//);
    },
  ],
  [
    'hands the page two functions, and nothing of Node',
    async (_app, page) => {
      const seen = await page.evaluate(() => ({
        handed: Object.keys(window.earshot ?? {}).sort(),
        node: 'require' in window || 'process' in window,
      }));
      assert.deepEqual(seen, { handed: ['ask', 'onPlayFrom'], node: false });
    },
  ],
  [
    'opens no second window for a link, and stays on its own page',
    async (app, page) => {
      const before = page.url();
      await page.evaluate(() => {
        window.open('file:///');
        window.location.assign('file:///');
      });
      await page.waitForTimeout(500);
      assert.equal(app.windows().length, 1);
      assert.equal(page.url(), before);
    },
  ],
  [
    'goes on after a reload without another token',
    async (_app, page) => {
      await page.reload();
      await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
    },
  ],
];

const run = async (executablePath: string): Promise<number> => {
  const dataDir = temporaryFolder();
  const root = process.platform === 'linux' && process.getuid?.() === 0;
  const app = await electron.launch({
    executablePath,
    args: [...(root ? ['--no-sandbox'] : []), ROOT],
    env: {
      ...Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      EARSHOT_DATA_DIR: dataDir,
      EARSHOT_DEMO: '1',
      LANG: 'en_GB.UTF-8',
    },
  });
  let failures = 0;
  try {
    const page = await app.firstWindow();
    for (const [name, check] of CHECKS) {
      try {
        await check(app, page);
        say(`passed   ${name}`);
      } catch (error) {
        failures++;
        say(`FAILED   ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await app.close();
  }
  return failures;
};

const path = binary();
if (path === undefined) {
  for (const [name] of CHECKS) say(`skipped  ${name}: Electron's binary is not on this machine`);
} else if ((await run(path)) > 0) process.exitCode = 1;
