// `npm run screenshots` takes a screenshot of every screen, with real recognition, into out/screenshots, and copies
// those of the documentation to docs/screenshots.

import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { RESOURCES, ROOT, SPEECH_FIXTURES } from '../support/paths.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribeFixture } from '../support/transcribe.ts';
import { addUnfinished } from '../support/unfinished.ts';

const OUT = join(ROOT, 'out', 'screenshots');
const DOCS = join(ROOT, 'docs', 'screenshots');
const SHOWN: ReadonlySet<string> = new Set([
  'export',
  'files',
  'library',
  'models',
  'new-dark',
  'transcript',
]);

const SAMPLE = join(RESOURCES, 'samples', 'two-readers.mp3');

const RECORDINGS = [
  [join(SPEECH_FIXTURES, 'de-eurasia.flac'), 'Sprachmemo'],
  [join(SPEECH_FIXTURES, 'fr-consulate.flac'), 'Note vocale'],
  [join(SPEECH_FIXTURES, 'en-three-speakers.flac'), 'Three voices'],
  [SAMPLE, 'Two readers'],
] as const;

type Shot = {
  readonly name: string;
  readonly hash: string;
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly locale?: string;
  readonly prepare?: (window: TestWindow) => Promise<void>;
};

const take = async (browser: Browser, server: TestServer, shot: Shot): Promise<void> => {
  const window = await openWindow(browser, server, {
    theme: shot.theme ?? 'light',
    width: shot.width ?? 1280,
    height: 820,
    ...(shot.locale === undefined ? {} : { locale: shot.locale }),
  });
  await window.go(shot.hash);
  // Fonts and animations.
  await window.page.waitForTimeout(500);
  await shot.prepare?.(window);
  const path = join(OUT, `${shot.name}.png`);
  await window.page.screenshot({ path });
  if (SHOWN.has(shot.name)) await copyFile(path, join(DOCS, `${shot.name}.png`));
  await window.close();
  process.stdout.write(`${shot.name}\n`);
};

const openCreate = async ({ page }: TestWindow): Promise<void> => {
  await page.keyboard.press('n');
  await page.locator('[role=dialog] input[type=file]').setInputFiles(SAMPLE);
  await page.getByRole('slider').first().waitFor();
  await page.waitForTimeout(600);
};

const reveal = async ({ page }: TestWindow, name: string | RegExp): Promise<void> => {
  await page.getByRole('button', { name }).first().click();
  await page.waitForTimeout(300);
};

const transcriptShots = (id: string): Shot[] => [
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
      await page.getByRole('tab', { name: 'Mentions' }).click();
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
];

const libraryShots = (): Shot[] => [
  { name: 'library', hash: '#/' },
  { name: 'library-dark', hash: '#/', theme: 'dark' },
  { name: 'library-narrow', hash: '#/', width: 400 },
  { name: 'library-german', hash: '#/', locale: 'de-DE' },
  {
    name: 'library-selection',
    hash: '#/',
    prepare: async ({ page }) => {
      await page.locator('[data-row-link]').first().focus();
      await page.keyboard.press('x');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'analyze-again',
    hash: '#/',
    prepare: async (window) => {
      await window.page.locator('[data-row-link]').first().focus();
      await window.page.keyboard.press('x');
      await reveal(window, 'Analyze again');
    },
  },
  { name: 'new', hash: '#/', prepare: openCreate },
  { name: 'new-dark', hash: '#/', theme: 'dark', prepare: openCreate },
  {
    name: 'search',
    hash: '#/',
    prepare: async ({ page }) => {
      await page.getByRole('searchbox').fill('the');
      await page.waitForTimeout(900);
    },
  },
  {
    name: 'palette',
    hash: '#/',
    prepare: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.waitForTimeout(300);
    },
  },
];

const SECTIONS = [
  '',
  'connections',
  'network',
  'models',
  'performance',
  'storage',
  'limits',
  'shortcuts',
  'about',
];

const otherShots = (): Shot[] => [
  { name: 'queue', hash: '#/queue' },
  { name: 'files', hash: '#/files' },
  { name: 'files-dark', hash: '#/files', theme: 'dark' },
  { name: 'files-narrow', hash: '#/files', width: 400 },
  {
    name: 'files-delete',
    hash: '#/files/files',
    prepare: async (window) => {
      await reveal(window, /^More for/);
      await window.page.getByRole('menuitem', { name: 'Delete' }).click();
      await window.page.waitForTimeout(500);
    },
  },
  {
    name: 'files-details',
    hash: '#/files',
    prepare: (window) => reveal(window, 'de-eurasia.flac'),
  },
  { name: 'files-cors', hash: '#/files', prepare: (window) => reveal(window, 'Change') },
  { name: 'models', hash: '#/models' },
  { name: 'models-german', hash: '#/models', locale: 'de-DE' },
  { name: 'models-narrow', hash: '#/models', width: 400 },
  {
    name: 'models-import',
    hash: '#/models',
    theme: 'dark',
    prepare: (window) => reveal(window, 'Import a file'),
  },
  { name: 'api', hash: '#/api' },
  { name: 'api-dark', hash: '#/api', theme: 'dark' },
  ...SECTIONS.map((section) => ({
    name: section === '' ? 'settings' : `settings-${section}`,
    hash: `#/settings/${section}`,
  })),
  { name: 'settings-german-narrow', hash: '#/settings/network', locale: 'de-DE', width: 400 },
];

const server = await startServer({ args: ['--allow-private-addresses'] });
const browser = await launchBrowser();
try {
  // Takes only some screenshots: `npm run screenshots -- files models`
  const wanted = process.argv.slice(2);
  const isWanted = ({ name }: Shot) => wanted.length === 0 || wanted.some((word) => name.startsWith(word));
  await mkdir(OUT, { recursive: true });
  const first: Shot[] = [
    { name: 'first-start', hash: '#/' },
    { name: 'first-start-narrow', hash: '#/', width: 400, locale: 'de-DE' },
    { name: 'queue-empty', hash: '#/queue' },
    { name: 'files-empty', hash: '#/files' },
  ];
  for (const shot of first.filter(isWanted)) await take(browser, server, shot);
  let last = '';
  for (const [file, name] of RECORDINGS)
    last = await transcribeFixture(server, file, name, { diarize: true });
  const calm = transcriptShots(last).filter(isWanted);
  for (const shot of calm) await take(browser, server, shot);
  const { remote } = await addUnfinished(server);
  for (const shot of [...libraryShots(), ...otherShots()].filter(isWanted)) await take(browser, server, shot);
  await remote.close();
} finally {
  await browser.close();
  await discard(server);
}
