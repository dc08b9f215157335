// Frame rates and delays of the window with 100,000 transcripts, and with a transcript of 100,000 words.
//
//   node test/bench/window.ts
//
// Frames are counted by requestAnimationFrame in headless Chromium, waits by its Event Timing API.

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { newId } from '../../electron/core/base/ids.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { insertSegments, readSegments } from '../../electron/core/stores/segments.ts';
import { findTranscript, insertTranscript } from '../../electron/core/stores/transcripts.ts';
import { launchBrowser, openWindow } from '../support/browser.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribeFixture } from '../support/transcribe.ts';

const TRANSCRIPTS = 100_000;
const WORDS = 100_000;
const SCROLL_MS = 4000;

const say = (what: string, value: number, unit: string) =>
  process.stdout.write(`${what.padEnd(52)} ${value.toFixed(1).padStart(8)} ${unit}\n`);

/** Frames per second, median and first percentile, while an element scrolls fast. */
const scrollFrames = (
  page: Page,
  selector: string,
  pixels: number,
): Promise<{ median: number; slow: number }> =>
  page.evaluate(
    async ([css, step, duration]) => {
      const element = document.querySelector(css);
      if (element === null) throw new Error(`${css} is not there`);
      const gaps: number[] = [];
      let last = performance.now();
      const end = last + duration;
      while (last < end) {
        const now = await new Promise<number>((frame) => requestAnimationFrame(frame));
        gaps.push(now - last);
        last = now;
        element.scrollTop += step;
      }
      gaps.sort((a, b) => a - b);
      const at = (share: number) => 1000 / (gaps[Math.floor(gaps.length * share)] ?? 1);
      return { median: at(0.5), slow: at(0.99) };
    },
    [selector, pixels, SCROLL_MS] as const,
  );

/** Milliseconds from the end of a response until its content is on the page. */
const afterData = async (
  page: Page,
  url: string,
  hash: string,
  answer: string,
  shown: string,
): Promise<number> => {
  await page.goto('about:blank');
  await page.goto(`${url}/${hash}`);
  await page.locator(shown).first().waitFor({ timeout: 60_000 });
  return page.evaluate(
    ([name]) => {
      const entries = performance.getEntriesByType('resource').filter((each) => each.name.includes(name));
      const first = entries[0];
      const mark = performance.getEntriesByName('earshot.shown')[0];
      const end = mark?.startTime ?? performance.now();
      return first instanceof PerformanceResourceTiming ? end - first.responseEnd : Number.NaN;
    },
    [answer] as const,
  );
};

/** Records when a selector first matches, from the start of the page. */
const watchFor = (page: Page, selector: string) =>
  page.addInitScript((css) => {
    const watch = new MutationObserver(() => {
      if (document.querySelector(css) === null) return;
      watch.disconnect();
      requestAnimationFrame(() => performance.mark('earshot.shown'));
    });
    watch.observe(document, { childList: true, subtree: true });
  }, selector);

const LIBRARY_ROWS = 15;
const LOADS = 7;

/** Milliseconds until the first row of the library is painted, with nothing in the browser's cache; and bytes of scripts. */
const loadCold = async (server: TestServer): Promise<{ milliseconds: number; scriptBytes: number }> => {
  // A browser of its own: a new context shares the compiled code of the first.
  const browser = await launchBrowser();
  try {
    const { page } = await openWindow(browser, server, { signedIn: true });
    await page.goto('about:blank');
    const protocol = await page.context().newCDPSession(page);
    await protocol.send('Network.enable');
    await protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
    await watchFor(page, '[data-row-link]');
    await page.goto(`${server.url}/`);
    await page.locator('[data-row-link]').first().waitFor();
    await page.waitForFunction(() => performance.getEntriesByName('earshot.shown').length > 0);
    return await page.evaluate(() => {
      const shown = performance.getEntriesByName('earshot.shown')[0]?.startTime ?? Number.NaN;
      const scripts = performance
        .getEntriesByType('resource')
        .filter((each) => each instanceof PerformanceResourceTiming && each.name.endsWith('.js'))
        .map((each) => (each instanceof PerformanceResourceTiming ? each.encodedBodySize : 0));
      return { milliseconds: shown, scriptBytes: scripts.reduce((sum, bytes) => sum + bytes, 0) };
    });
  } finally {
    await browser.close();
  }
};

const server = await startServer();
const id = await transcribeFixture(server, fixturePath('02-two-speakers.mp3'));
for (let row = 1; row < LIBRARY_ROWS; row++)
  await server.client.call('createTranscript', {
    body: { audio_url: 'http://127.0.0.1:9/x.mp3', model: 'mini' },
  });
const loads: Awaited<ReturnType<typeof loadCold>>[] = [];
for (let load = 0; load < LOADS; load++) loads.push(await loadCold(server));
const times = loads.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
say(`first load, ${LIBRARY_ROWS} rows: usable, median of ${LOADS}`, times[Math.floor(LOADS / 2)] ?? 0, 'ms');
say('first load: usable, slowest', times.at(-1) ?? 0, 'ms');
say('first load: scripts over the wire', Math.max(...loads.map((each) => each.scriptBytes)) / 1000, 'kB');
await server.stop();

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const db = openDatabase(join(server.dataDir, 'earshot.db'), { logger, now: () => Date.now() });
const row = findTranscript(db, id);
if (row === undefined) throw new Error('The recording was not transcribed.');
const segments = readSegments(db, id);
const perCopy = segments.reduce((total, segment) => total + segment.words.length, 0);
const length = row.duration;
const longId = newId('tr');
db.transaction(() => {
  for (let index = 1; index < TRANSCRIPTS; index++) {
    insertTranscript(db, {
      ...row,
      id: newId('tr'),
      name: `Recording ${index}`,
      createdAt: row.createdAt - index * 60_000,
      queueOrder: row.queueOrder - index,
    });
  }
  insertTranscript(db, { ...row, id: longId, name: 'A very long day', wordCount: WORDS });
  const copies = Math.ceil(WORDS / perCopy);
  for (let copy = 0; copy < copies; copy++) {
    const shift = copy * length;
    insertSegments(
      db,
      longId,
      copy,
      segments.map((segment, place) => ({
        ...segment,
        id: copy * segments.length + place,
        start: segment.start + shift,
        end: segment.end + shift,
        words: segment.words.map((word) => ({ ...word, start: word.start + shift, end: word.end + shift })),
      })),
    );
  }
});
db.close();

const again = await startServer({ dataDir: server.dataDir });
const browser = await launchBrowser();
try {
  const library = await openWindow(browser, again);
  await watchFor(library.page, '[data-row-link]');
  say(
    `library of ${TRANSCRIPTS}: shown after its data`,
    await afterData(library.page, again.url, '#/', '/v1/transcript/user', '[data-row-link]'),
    'ms',
  );
  const rows = await scrollFrames(library.page, 'main > div', 600);
  say('library: frames while scrolling, median', rows.median, 'fps');
  say('library: frames while scrolling, slowest hundredth', rows.slow, 'fps');
  await library.close();

  const reader = await openWindow(browser, again);
  const { page } = reader;
  await watchFor(page, '[data-w]');
  say(
    `transcript of ${WORDS} words: shown after its data`,
    await afterData(page, again.url, `#/transcript/${longId}`, `/v1/transcript/id/${longId}`, '[data-w]'),
    'ms',
  );
  const text = 'section[aria-label="Text"]';
  const words = await scrollFrames(page, text, 400);
  say('transcript: frames while scrolling, median', words.median, 'fps');
  say('transcript: frames while scrolling, slowest hundredth', words.slow, 'fps');

  await page.locator(text).evaluate((element) => element.scrollTo(0, 0));
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.locator('.w.play').waitFor();
  const playing = await scrollFrames(page, text, 0);
  say('transcript: frames while a word is followed, median', playing.median, 'fps');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();

  await page.evaluate(() => {
    const waits: number[] = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') waits.push(entry.duration);
    }).observe({ type: 'event', buffered: false, ...{ durationThreshold: 16 } });
    Object.assign(window, { earshotWaits: waits });
  });
  await page.locator('[data-w="4"]').dblclick();
  await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
  await page.keyboard.type('every key is on the paper before the next one is struck ', { delay: 30 });
  const longest = await page.evaluate(() => {
    const waits: unknown = Reflect.get(window, 'earshotWaits');
    return Array.isArray(waits) ? Math.max(0, ...waits.map(Number)) : Number.NaN;
  });
  say('editor: longest wait for a key (0: all under 16 ms)', longest, 'ms');
} finally {
  await browser.close();
  await discard(again);
}
