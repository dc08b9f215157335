// `npm run screenshots`: the window as it is, with real recognition, into docs/screenshots.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { FIXTURES, launchBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribeFixture } from '../support/transcribe.ts';

const OUT = join(import.meta.dirname, '..', '..', 'docs', 'screenshots');

const RECORDINGS = [
  ['01-short-note.wav', 'A note to myself'],
  ['05-spanish.ogg', 'Nota de voz'],
  ['11-news-and-entities.wav', 'Evening news'],
  ['02-two-speakers.mp3', 'Monday stand-up'],
] as const;

type Shot = {
  readonly name: string;
  readonly hash: string;
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly prepare?: (window: TestWindow) => Promise<void>;
};

const take = async (browser: Browser, server: TestServer, shot: Shot): Promise<void> => {
  const window = await openWindow(browser, server, {
    theme: shot.theme ?? 'light',
    width: shot.width ?? 1280,
    height: 820,
  });
  await window.go(shot.hash);
  await window.page.locator('main').waitFor();
  await window.page.waitForTimeout(1200);
  await shot.prepare?.(window);
  await window.page.screenshot({ path: join(OUT, `${shot.name}.png`) });
  await window.close();
  process.stdout.write(`${shot.name}\n`);
};

const openCreate = async ({ page }: TestWindow): Promise<void> => {
  await page.keyboard.press('n');
  await page.locator('[role=dialog] input[type=file]').setInputFiles(join(FIXTURES, '13-long-pause.wav'));
  await page.getByRole('slider').first().waitFor();
  await page.waitForTimeout(600);
};

const shotsOf = (id: string): Shot[] => [
  { name: 'library', hash: '#/' },
  { name: 'library-dark', hash: '#/', theme: 'dark' },
  { name: 'library-narrow', hash: '#/', width: 400 },
  { name: 'new', hash: '#/', prepare: openCreate },
  { name: 'new-dark', hash: '#/', theme: 'dark', prepare: openCreate },
  {
    name: 'transcript',
    hash: `#/transcript/${id}`,
    prepare: async ({ page }) => {
      await page.locator('[data-w="23"]').click();
      await page.waitForTimeout(400);
    },
  },
  {
    name: 'transcript-dark',
    hash: `#/transcript/${id}`,
    theme: 'dark',
    prepare: async ({ page }) => {
      await page.getByRole('tab', { name: 'Names' }).click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'export',
    hash: `#/transcript/${id}`,
    prepare: async ({ page }) => {
      await page.keyboard.press('Control+e');
      await page.getByText('SRT', { exact: true }).click();
      await page.waitForTimeout(600);
    },
  },
  {
    name: 'search',
    hash: '#/',
    prepare: async ({ page }) => {
      await page.getByRole('searchbox').fill('the');
      await page.waitForTimeout(900);
    },
  },
  { name: 'queue', hash: '#/queue' },
  { name: 'files', hash: '#/files' },
  { name: 'models', hash: '#/models' },
  { name: 'api', hash: '#/api' },
  { name: 'settings', hash: '#/settings/network' },
  { name: 'design', hash: '#/design' },
];

const server = await startServer();
const browser = await launchBrowser();
try {
  await mkdir(OUT, { recursive: true });
  await take(browser, server, { name: 'first-start', hash: '#/' });
  let last = '';
  for (const [file, name] of RECORDINGS) last = await transcribeFixture(server, join(FIXTURES, file), name);
  for (const shot of shotsOf(last)) await take(browser, server, shot);
} finally {
  await browser.close();
  await discard(server);
}
