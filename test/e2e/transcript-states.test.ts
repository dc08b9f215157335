import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredAnalysis } from '../../electron/core/stores/codecs.ts';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { dealt } from '../support/dealt.ts';
import { segmentOf, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';

type State = {
  readonly show: (page: Page) => Promise<unknown>;
  /** A selector of what is then there, perhaps only when its code has been loaded. */
  readonly seen: string;
};

const DIALOG = '[role="dialog"]';
const MENU = '[role="menu"]';

/** What opens on the transcript page. */
const STATES: Readonly<Record<string, State>> = {
  text: { show: async () => undefined, seen: '[data-w="0"]' },
  'a focused paragraph': {
    show: async (page) => {
      await page.locator('.turn[tabindex="0"]').focus();
      await page.keyboard.press('ArrowDown');
    },
    seen: '.turn:focus',
  },
  'an edited paragraph': {
    show: (page) => page.locator('[data-w="2"]').dblclick(),
    seen: '[contenteditable]',
  },
  find: {
    show: async (page) => {
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox').fill('budget');
    },
    seen: 'search',
  },
  review: { show: (page) => page.keyboard.press('r'), seen: '.w.review' },
  'the name of a speaker': {
    show: (page) => page.getByRole('feed').getByRole('button', { name: 'Speaker A' }).first().click(),
    seen: DIALOG,
  },
  'the name of the transcript': {
    show: (page) => page.getByRole('button', { name: 'Talk', exact: true }).click(),
    seen: 'main input[maxlength]',
  },
  'the menu': {
    show: (page) => page.getByRole('button', { name: 'More for this transcript' }).click(),
    seen: MENU,
  },
  export: { show: (page) => page.keyboard.press('Control+e'), seen: DIALOG },
  analyze: {
    show: async (page) => {
      await page.keyboard.press('a');
      await page.getByRole('switch', { name: 'Hide private data' }).click();
    },
    seen: DIALOG,
  },
  shortcuts: { show: (page) => page.keyboard.press('?'), seen: DIALOG },
  palette: { show: (page) => page.keyboard.press('Control+k'), seen: DIALOG },
};

/** What the analyses store if nothing was said. */
const SILENCE: StoredAnalysis = {
  summary: { text: '', type: 'bullets', language: 'en', engine: 'extractive', bullets: [] },
  topics: [],
  key_phrases: [],
};

const HEARD = ['Good', 'morning', 'my', 'game', 'is', 'David', 'Clerk'];
/** What the other model heard in place of a word. */
const OTHERWISE = new Map([
  ['game', 'name'],
  ['Clerk', 'Clark'],
]);
/** Stores a transcript as two models heard it; http/jobs/verify.test.ts has how they do. */
const storeHeardTwice = (dataDir: string): string => {
  const { words, ...segment } = segmentOf(0, 0, HEARD);
  const heard = words.map((each) => {
    const text = OTHERWISE.get(each.word);
    return text === undefined
      ? each
      : { ...each, alternatives: [{ text, model: 'starter', confidence: 0.9 }] };
  });
  return storeTranscript(dataDir, [{ ...segment, words: heard }], {
    model: 'starter-parakeet',
    verify_with: 'starter',
    timestamp_style: 'word',
  });
};

type Look = {
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'active' | 'none';
  readonly width?: number;
  readonly height?: number;
};

const LOOKS: Readonly<Record<string, Look>> = {
  light: {},
  dark: { colorScheme: 'dark' },
  'forced colors': { forcedColors: 'active' },
  // A page of 1280 × 820 at 200 % has this many pixels of CSS.
  '200 %': { width: 640, height: 410 },
  '400 px': { width: 400 },
};

describe('every state of the transcript page', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let talk: string;
  let silent = '';
  let twice = '';

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => {
      twice = storeHeardTwice(dataDir);
      silent = storeTranscript(dataDir, [], { name: 'Silence' }, { analysis: SILENCE });
      return storeTalk(
        dataDir,
        'Talk',
        [
          ['A', 'Good morning, the ?spirng? budget is late.'],
          ['B', 'Then we talk about the spring budget first.'],
        ],
        { topics: ['Finance'], key_phrases: ['spring budget'] },
      );
    });
    [talk, server, browser] = [started.stored, started.server, await borrowBrowser()];
    window = await openWindow(browser, server, { at: `#/transcript/${talk}` });
    await window.page.locator('[data-w="0"]').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const apply = async ({
    colorScheme = 'light',
    forcedColors = 'none',
    width = 1280,
    height = 820,
  }: Look) => {
    const { page } = window;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, forcedColors });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
  };
  /** Back to the text alone. */
  const close = async () => {
    const { page } = window;
    await page.keyboard.press('Escape');
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
    await page.waitForFunction(
      () =>
        document.querySelector(
          '[role="dialog"], [role="menu"], search, [contenteditable], main input[maxlength]',
        ) === null,
    );
  };

  it.each(Object.entries(LOOKS).map(([name, look], at) => [name, look, at] as const))(
    'has no accessibility violations: %s',
    async (_, look, at) => {
      const found: Record<string, string[]> = {};
      const { page } = window;
      await apply(look);
      for (const [state, { show, seen }] of dealt(Object.entries(STATES), at, Object.keys(LOOKS).length)) {
        await show(page);
        await page.locator(seen).first().waitFor();
        await window.settle();
        const violations = await window.violations('all');
        if (violations.length > 0) found[state] = violations;
        expect(
          await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          ),
          state,
        ).toBe(0);
        await close();
      }
      expect(found).toEqual({});
      expect(window.errors).toEqual([]);
    },
    180_000,
  );

  it('leaves the text in its place when the audio turns out not to play', async () => {
    const { page } = window;
    await apply({});
    const held = Promise.withResolvers<void>();
    await page.route('**/audio-url', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    await page.locator('[data-w="0"]').waitFor();
    await window.settle();
    const place = () => page.locator('[data-w="0"]').boundingBox();
    const before = await place();
    held.resolve();
    await page.getByRole('alert').filter({ hasText: 'The recording is no longer stored' }).waitFor();
    expect(before).not.toBeNull();
    expect(await place()).toEqual(before);
    await page.unroute('**/audio-url');
  });

  it('says of silence that nothing was heard, and nothing of a summary', async () => {
    const { page } = window;
    await apply({});
    await window.go(`#/transcript/${silent}`);
    await page.getByText('Nothing was said').waitFor();
    const insights = page.getByRole('tabpanel');
    await expect.poll(() => insights.textContent()).toBe('Earshot heard no speech in this recording.');
    expect(await window.violations('all')).toEqual([]);
  });

  it('keeps playhead, current page, selection and speakers visible in forced colors', async () => {
    const { page } = window;
    await apply({ forcedColors: 'active' });
    await openTranscript(server, talk, window);
    await page.locator('[data-w="3"]').click();
    const style = (selector: string, property: string, pseudo?: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, [name, part]) => getComputedStyle(element, part).getPropertyValue(name ?? ''), [
          property,
          pseudo,
        ] as const);
    const canvas = await style('body', 'background-color');
    const seen = {
      playhead: await style('.playhead', 'background-color'),
      word: await style('.w.play', 'background-color'),
      speaker: await style('.turn', 'background-color', '::before'),
      other: await page
        .locator('.turn')
        .nth(1)
        .evaluate((turn) => getComputedStyle(turn, '::before').backgroundColor),
    };
    for (const [part, color] of Object.entries(seen)) expect(color, part).not.toBe(canvas);
    expect(seen.speaker).not.toBe(seen.other);
    expect(await style('[role="tab"][aria-selected="true"]', 'outline-style')).toBe('solid');
    await window.go('#/files');
    expect(await style('[aria-current="page"]', 'outline-style')).toBe('solid');
  });

  describe('heard twice', () => {
    const stored = () => server.client.call('getTranscript', { params: { id: twice } });

    it('reviews first what the other model heard otherwise, and takes it with one key', async () => {
      const { page } = window;
      await apply({});
      await openTranscript(server, twice, window);
      const before = (await stored()).text;
      await page.keyboard.press('r');
      const review = page.getByRole('region', { name: 'Review' });
      const status = review.getByRole('status');
      await review.getByText(/^starter heard/).waitFor();
      const count = Number(/of (\d+)/.exec((await status.textContent()) ?? '')?.[1]);
      expect(count).toBe(OTHERWISE.size);

      const text = page.getByRole('region', { name: 'Text' }).getByRole('feed');
      const shown = await text.textContent();
      await page.keyboard.press('o');
      await expect.poll(() => text.textContent()).not.toBe(shown);
      await expect.poll(async () => (await stored()).text).not.toBe(before);
      await expect.poll(() => status.textContent()).toContain(`of ${count - 1}`);

      await page.keyboard.press('Control+z');
      await expect.poll(() => text.textContent()).toBe(shown);
      await expect.poll(async () => (await stored()).text).toBe(before);
      expect(await window.violations()).toEqual([]);
    });

    it('offers a second model for a new transcription', async () => {
      const { page } = window;
      await window.go('#/library');
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'New transcription' });
      await dialog.waitFor();
      const choice = dialog.getByRole('combobox', { name: 'Check with a second model' });
      await choice.click();
      await page.getByRole('option', { name: /parakeet/ }).click();
      await dialog.getByText(/recognizes the recording again/).waitFor();
      expect(await window.violations()).toEqual([]);
      expect(window.errors).toEqual([]);
    });
  });
});
