import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { segmentOf, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, selectWords, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk, type Turn } from '../support/written-talk.ts';

/** Words of 0.4 s that follow one another. */
const TALK: readonly Turn[] = [
  ['A', 'Good morning and welcome to the meeting.', 'We begin with the budget of the spring.'],
  ['B', 'Thank you, the budget is ready.'],
];
const NAMES = [
  'mouse',
  'touch',
  'keyboard',
  'held',
  'undo',
  'failed',
  'subtitle',
  'looks',
  'elsewhere',
  'quick',
] as const;
type Name = (typeof NAMES)[number] | 'segments';

describe('times of words and subtitles', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let page: Page;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => {
      for (const name of NAMES) ids.set(name, storeTalk(dataDir, name, TALK));
      const said = ['Good', 'morning', 'and', 'welcome.'];
      ids.set('segments', storeTranscript(dataDir, [segmentOf(0, 0, said), segmentOf(1, 4, said)]));
    });
    [server, browser] = [started.server, await borrowBrowser()];
    window = await openWindow(browser, server);
    ({ page } = window);
  });
  afterAll(async () => {
    expect(window.errors).toEqual([]);
    await browser?.close();
    await discard(server);
  });

  const idOf = (name: Name) => ids.get(name) ?? '';
  const open = (name: Name) => openTranscript(server, idOf(name), window);
  const stored = (name: Name) => server.client.call('getTranscript', { params: { id: idOf(name) } });
  /** "0.4–0.8": the times of a word of the first segment. */
  const timesOf = async (name: Name, word: number) => {
    const { start, end } = (await stored(name)).segments[0]?.words?.[word] ?? { start: 0, end: 0 };
    return `${start}–${end}`;
  };
  const srt = async (name: Name) =>
    (
      await server.client.send('exportTranscript', {
        params: { id: idOf(name) },
        query: { format: 'srt' },
      })
    ).text();
  const slider = (name: string) => page.getByRole('slider', { name, exact: true });
  const panel = () => page.getByRole('region', { name: 'Word and subtitle times' });
  /** The PATCH requests that the page sends in this test from now on, each noted before it reaches the server. */
  const countPatches = async () => {
    const sent: string[] = [];
    const note = async (route: Route) => {
      if (route.request().method() === 'PATCH') sent.push(route.request().postData() ?? '');
      await route.continue();
    };
    await page.route('**/v1/transcript/id/*', note);
    onTestFinished(() => page.unroute('**/v1/transcript/id/*', note));
    return sent;
  };
  /** Opens the panel at a word by selecting it with the mouse. */
  const openByMouse = async (word: number) => {
    await selectWords(page, word, word, 'Adjust times');
    await panel().waitFor();
  };
  /** Opens the panel at a word, from 0, by keyboard alone. */
  const openByKeys = async (word: number) => {
    await page.getByRole('article').first().focus();
    for (let step = 0; step < word; step++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('t');
    await panel().waitFor();
  };
  /**
   * Presses keys on the focused border without a pause, in which it would be saved; the position after each. React renders in
   * microtasks.
   */
  const pressAtOnce = (...keys: string[]) =>
    page.evaluate(async (all) => {
      const positions: (string | null | undefined)[] = [];
      for (const key of all) {
        const [name = '', modifier] = key.split('+').toReversed();
        const modifiers = { shiftKey: modifier === 'Shift', ctrlKey: modifier === 'Control' };
        const pressed = new KeyboardEvent('keydown', {
          key: name,
          ...modifiers,
          bubbles: true,
          cancelable: true,
        });
        document.activeElement?.dispatchEvent(pressed);
        await Promise.resolve();
        positions.push(document.activeElement?.getAttribute('aria-valuenow'));
      }
      return positions;
    }, keys);
  /** Seconds that a pixel of the panel's waveform stands for: it shows 3 s of a word. */
  const secondsPerPixel = async (seconds = 3) => {
    const box = await panel().locator('[data-waveform]').boundingBox();
    return seconds / (box?.width ?? 1);
  };
  const drag = async (name: string, seconds: number, shown = 3) => {
    const box = await slider(name).boundingBox();
    if (box === null) throw new Error(`There is no border ${name}.`);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + seconds / (await secondsPerPixel(shown)), y, { steps: 5 });
    await page.mouse.up();
  };

  it('are dragged with one request, and a neighbor makes way', async () => {
    await open('mouse');
    await openByMouse(1);
    const sent = await countPatches();
    await drag('End of “morning”', 0.1);
    await expect.poll(async () => Number((await timesOf('mouse', 1)).split('–')[1])).toBeCloseTo(0.9, 1);
    const [, end] = (await timesOf('mouse', 1)).split('–');
    expect(await timesOf('mouse', 2)).toBe(`${end}–1.2`);
    expect(sent).toHaveLength(1);
    // No farther than the neighbor, of which 10 ms stay.
    await drag('End of “morning”', 1);
    await expect.poll(() => timesOf('mouse', 1)).toBe('0.4–1.19');
    expect(await timesOf('mouse', 2)).toBe('1.19–1.2');
    expect(sent).toHaveLength(2);
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => timesOf('mouse', 2)).toBe(`${end}–1.2`);
    await expect.poll(() => slider('End of “morning”').getAttribute('aria-valuenow')).toBe(end);

    // Another word: by a press on its name below the waveform, or in the text.
    await panel().locator('[data-block="2"]').click();
    await slider('Start of “and”').waitFor();
    await page.locator('[data-w="4"]').click();
    await slider('Start of “to”').waitFor();
    await page.keyboard.press('k');
  });

  it('are dragged with a finger, at 400 px', async () => {
    await page.setViewportSize({ width: 400, height: 760 });
    await open('touch');
    await openByKeys(1);
    const session = await window.context.newCDPSession(page);
    const box = await slider('Start of “morning”').boundingBox();
    const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20];
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', by = 0) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: x + by, y }],
      });
    await touch('touchStart');
    for (const by of [5, 10, 15, 20]) await touch('touchMove', by);
    await touch('touchEnd');
    await expect.poll(async () => Number((await timesOf('touch', 1)).split('–')[0])).toBeGreaterThan(0.45);
    await session.detach();
    await page.setViewportSize({ width: 1280, height: 820 });
  });

  it('are moved by keyboard alone: a row of keys is one request', async () => {
    await open('keyboard');
    await openByKeys(1);
    const start = slider('Start of “morning”');
    await expect.poll(() => start.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await start.getAttribute('aria-valuetext')).toBe('0.40 seconds');
    const sent = await countPatches();
    await pressAtOnce('ArrowRight', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight');
    await expect.poll(() => start.getAttribute('aria-valuetext')).toBe('0.53 seconds');
    // Leaving the border saves it.
    await page.keyboard.press('Tab');
    await expect.poll(() => timesOf('keyboard', 1)).toBe('0.53–0.8');
    const end = slider('End of “morning”');
    await expect.poll(() => end.evaluate((each) => each === document.activeElement)).toBe(true);
    // So does a pause.
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => timesOf('keyboard', 1)).toBe('0.53–0.79');
    expect(sent.map((body) => JSON.parse(body).segments[0].times)).toEqual([
      [{ word: 1, start: 0.53, was_start: 0.4 }],
      [{ word: 1, end: 0.79, was_end: 0.8 }],
    ]);
    await page.keyboard.press('Control+z');
    await expect.poll(() => timesOf('keyboard', 1)).toBe('0.53–0.8');
    await expect.poll(() => end.getAttribute('aria-valuenow')).toBe('0.8');

    // Escape takes back what is not saved yet, and closes then, with the focus in the text.
    expect(await pressAtOnce('Shift+ArrowLeft', 'Escape')).toEqual(['0.7', '0.8']);
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('article:focus').count()).toBe(1);
    expect(await timesOf('keyboard', 1)).toBe('0.53–0.8');
    expect(sent).toHaveLength(2);
  });

  it('are taken back before they are saved by Ctrl-Z, and by Escape while they are dragged', async () => {
    await open('held');
    await openByKeys(1);
    const end = slider('End of “morning”');
    await end.focus();
    expect(await pressAtOnce('ArrowLeft', 'Control+z')).toEqual(['0.79', '0.8']);
    const box = await end.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 20);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) - 15, (box?.y ?? 0) + 20, { steps: 3 });
    await expect.poll(() => end.getAttribute('aria-valuenow')).not.toBe('0.8');
    await page.keyboard.press('Escape');
    await page.mouse.move((box?.x ?? 0) - 25, (box?.y ?? 0) + 20, { steps: 2 });
    await page.mouse.up();
    await expect.poll(() => end.getAttribute('aria-valuenow')).toBe('0.8');
    await panel().getByRole('button', { name: 'Next word' }).click();
    await slider('Start of “and”').waitFor();
    expect((await stored('held')).edits).toBeUndefined();
  });

  it('are undone before their request is answered', async () => {
    await open('quick');
    await openByKeys(1);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Tab');
    await expect.poll(() => timesOf('quick', 1)).toBe('0.5–0.8');
    let answer = () => {};
    const released = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/transcript/id/*', async (route) => {
      const response = await route.fetch();
      if (route.request().method() === 'PATCH') await released;
      await route.fulfill({ response });
    });
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => timesOf('quick', 1)).toBe('0.5–0.7');
    await page.keyboard.press('Control+z');
    answer();
    await expect.poll(() => timesOf('quick', 1)).toBe('0.5–0.8');
    await page.unroute('**/v1/transcript/id/*');
    expect(await page.locator('[data-toast]').allTextContents()).toEqual([]);
  });

  it('are put back where they cannot be saved, with the reason', async () => {
    await open('failed');
    await openByKeys(1);
    await page.route('**/v1/transcript/id/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await drag('End of “morning”', 0.1);
    await window.toasted(/The time was not saved: .*(reach|connect)/i);
    await expect.poll(() => slider('End of “morning”').getAttribute('aria-valuenow')).toBe('0.8');
    await page.unroute('**/v1/transcript/id/*');
    await drag('End of “morning”', -0.1);
    await expect.poll(async () => Number((await timesOf('failed', 1)).split('–')[1])).toBeLessThan(0.75);
  });

  it('show those of another window after a conflict', async () => {
    await open('elsewhere');
    await openByKeys(1);
    // As if the event of the other window had not come yet.
    await page.route('**/v1/transcript/id/*', async (route) => {
      if (route.request().method() === 'PATCH')
        await server.client.call('patchTranscript', {
          params: { id: idOf('elsewhere') },
          body: { segments: [{ id: 0, times: [{ word: 1, end: 0.6 }] }] },
        });
      await route.continue();
    });
    await drag('End of “morning”', 0.1);
    await window.toasted(/The time was not saved: The transcript was changed elsewhere/);
    await expect.poll(() => slider('End of “morning”').getAttribute('aria-valuenow')).toBe('0.6');
    await page.unroute('**/v1/transcript/id/*');
  });

  it('of subtitles are set, exported, and follow the words again', async () => {
    await open('subtitle');
    await openByKeys(1);
    expect(await srt('subtitle')).toMatch(/^1\r\n00:00:00,000 --> /);
    await panel().getByRole('radio', { name: 'Subtitle' }).click();
    const begin = page.getByRole('slider', { name: /^In-time of “Good morning/ });
    await begin.focus();
    for (let press = 0; press < 2; press++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Tab');
    await expect.poll(() => srt('subtitle')).toMatch(/^1\r\n00:00:00,200 --> /);
    // The word keeps its time.
    expect(await timesOf('subtitle', 0)).toBe('0–0.4');
    const out = page.getByRole('slider', { name: /^Out-time of “Good morning/ });
    const before = Number(await out.getAttribute('aria-valuenow'));
    await page.keyboard.press('Shift+ArrowLeft');
    await expect
      .poll(
        async () => (await stored('subtitle')).segments.flatMap((each) => each.subtitle_times ?? []).length,
      )
      .toBe(2);
    await expect
      .poll(async () => Number(await out.getAttribute('aria-valuenow')))
      .toBeCloseTo(before - 0.1, 3);
    await panel().getByRole('button', { name: 'Automatic' }).click();
    await expect.poll(() => srt('subtitle')).toMatch(/^1\r\n00:00:00,000 --> /);
    await panel().getByRole('button', { name: 'Automatic' }).waitFor({ state: 'detached' });
    await panel().getByRole('button', { name: 'Next subtitle' }).click();
    await begin.waitFor({ state: 'detached' });
    await page.getByRole('slider', { name: /^In-time of “/ }).waitFor();
  });

  it('are moved where the transcript has times of segments only', async () => {
    await open('segments');
    await openByKeys(5);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Tab');
    await expect
      .poll(async () => {
        const { data } = await server.client.call('getSentences', { params: { id: idOf('segments') } });
        return data.sentences.flatMap((each) => each.words)[5]?.start;
      })
      .toBe(1.9);
  });

  it.each([['dark', 400, false]] as const)(
    'look right to axe: %s, %i px, forced colors %s',
    async (theme, width, isForced) => {
      await page.setViewportSize({ width, height: 820 });
      await page.emulateMedia({ colorScheme: theme, forcedColors: isForced ? 'active' : 'none' });
      await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' });
      await window.go('#/');
      await open('looks');
      await openByKeys(2);
      expect(await window.violations('all')).toEqual([]);
      await panel().getByRole('radio', { name: 'Subtitle' }).click();
      await page.getByRole('slider', { name: /^In-time/ }).waitFor();
      expect(await window.violations('all')).toEqual([]);
      const overflow = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(await overflow()).toBe(0);
    },
  );
});
