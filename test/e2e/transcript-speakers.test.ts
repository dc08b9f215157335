import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { dealt } from '../support/dealt.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, selectWords, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk, type Turn } from '../support/written-talk.ts';

const TALK: readonly Turn[] = [
  ['A', 'Good morning and welcome to the meeting.', 'We begin with the budget of the spring.'],
  ['B', 'Thank you, the budget is ready.'],
  ['A', 'Then we can decide today.'],
];
const THREE_SPEAKERS: readonly Turn[] = [...TALK.slice(0, 2), ['C', 'Then we can decide today.']];
const NAMES = [
  'keyboard',
  'mouse',
  'merge',
  'new',
  'names',
  'looks',
  'order',
  'history',
  'toast',
  'merged',
  'elsewhere',
  'quick',
] as const;

describe('the speakers of a transcript', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let page: Page;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => {
      for (const name of NAMES)
        ids.set(name, storeTalk(dataDir, name, name === 'order' ? THREE_SPEAKERS : TALK));
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

  type Name = (typeof NAMES)[number];
  const stored = (name: Name) => server.client.call('getTranscript', { params: { id: ids.get(name) ?? '' } });
  const told = async (name: Name) =>
    (await stored(name)).segments.map(({ speaker_id, text }) => `${speaker_id}: ${text}`);
  const open = (name: Name) => openTranscript(server, ids.get(name) ?? '', window);
  const dialog = () => page.getByRole('dialog', { name: 'Who speaks?' });
  const speakersOf = () => page.getByRole('article').getByRole('button', { name: /^Speaker [A-Z]$/ });
  const paragraphs = async () => (await speakersOf().allTextContents()).join(' ');
  const untilParagraphs = (labels: string) =>
    expect.poll(paragraphs).toBe(labels.replaceAll(/\w/g, 'Speaker $&'));

  it('are changed by keyboard alone: a paragraph, words of it, and several', async () => {
    await open('keyboard');
    await untilParagraphs('A B A');
    const first = page.getByRole('article').first();
    await first.focus();
    await page.keyboard.press('s');
    await dialog().waitFor();
    // From the eighth word to the end of the paragraph.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.getByRole('radio', { name: 'Speaker B' }).isChecked()).toBe(true);
    await page.getByRole('combobox', { name: 'From the word' }).focus();
    await page.keyboard.press('Enter');
    const highlighted = (word: string) =>
      page.locator('[role="option"][data-highlighted]', { hasText: `${word} ·` }).waitFor();
    await highlighted('Good');
    for (const word of ['morning', 'and', 'welcome', 'to', 'the', 'meeting.', 'We']) {
      await page.keyboard.press('ArrowDown');
      await highlighted(word);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    await expect
      .poll(() => page.getByRole('combobox', { name: 'To the word' }).textContent())
      .toContain('spring.');
    const submit = page.getByRole('button', { name: 'Change speaker' });
    const isOn = () => submit.evaluate((button) => button === document.activeElement);
    for (let tabs = 0; tabs < 4 && !(await isOn()); tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilParagraphs('A B A');
    // The labels are those of before, so they say nothing of when it is saved.
    await expect
      .poll(() => told('keyboard'))
      .toEqual([
        'A: Good morning and welcome to the meeting.',
        'B: We begin with the budget of the spring.',
        'B: Thank you, the budget is ready.',
        'A: Then we can decide today.',
      ]);
    await page.locator('[data-w="0"]').waitFor();
    await page.getByRole('article').first().focus();
    await page.keyboard.press('Control+z');
    await expect.poll(() => told('keyboard')).toContainEqual('A: We begin with the budget of the spring.');
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => told('keyboard')).toContainEqual('B: We begin with the budget of the spring.');
  });

  it('are changed by mouse for selected words', async () => {
    await open('mouse');
    await selectWords(page, 3, 5, 'Change who speaks');
    await page.getByRole('radio', { name: 'Speaker B' }).check();
    await window.holdingToasts(async () => {
      await page.getByRole('button', { name: 'Change speaker' }).click();
      await untilParagraphs('A B A B A');
      await expect
        .poll(async () => (await told('mouse')).slice(0, 3))
        .toEqual(['A: Good morning and', 'B: welcome to the', 'A: meeting.']);
      await window.toast('Speaker changed.').getByRole('button', { name: 'Undo' }).click();
    });
    await untilParagraphs('A B A');
  });

  it('are merged, and two texts and the merge before them are undone and made again', async () => {
    const state = async () => {
      const [first = '', , second = '', ...rest] = await told('order');
      const isMerged = !rest.join(' ').includes('C:');
      return [isMerged, first.includes('Zanzibar'), second.includes('Quixotic')];
    };
    const until = (...expected: boolean[]) => expect.poll(state).toEqual(expected);
    const type = async (paragraph: number, text: string) => {
      await page.getByRole('article').nth(paragraph).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type(text);
      await page.keyboard.press('Escape');
    };
    await open('order');
    await page.getByRole('tab', { name: 'Speakers' }).click();
    const row = page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'Speaker C' });
    await row.getByRole('button', { name: 'Merge with another speaker' }).click();
    await page.getByRole('menuitem', { name: 'Merge into Speaker B' }).click();
    await until(true, false, false);
    await type(0, 'Zanzibar ');
    await until(true, true, false);
    await type(1, 'Quixotic ');
    await until(true, true, true);
    await page.getByRole('article').first().focus();
    // At once, so that one request saves both texts.
    for (let step = 0; step < 3; step++) await page.keyboard.press('Control+z');
    await until(false, false, false);
    for (let step = 0; step < 3; step++) await page.keyboard.press('Control+y');
    await until(true, true, true);
  });

  it('are split from another one, and added', async () => {
    await open('new');
    await page.getByRole('article').nth(2).focus();
    await page.keyboard.press('s');
    await page.getByRole('radio', { name: 'New speaker' }).check();
    await page.keyboard.press('Enter');
    await untilParagraphs('A B C');
    await page.getByRole('tab', { name: 'Speakers' }).click();
    await page.getByRole('button', { name: 'Add a speaker' }).click();
    await expect.poll(async () => Object.keys((await stored('new')).speakers ?? {})).toHaveLength(4);
  });

  it('have a name and a color that stay', async () => {
    await open('names');
    await speakersOf().first().click();
    await page.getByRole('radio', { name: 'Color 4' }).click();
    await expect.poll(async () => (await stored('names')).speakers?.A?.color).toBe(3);
    await page.getByRole('textbox', { name: 'Name of this speaker' }).fill('Maria');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stored('names')).speakers?.A?.name).toBe('Maria');
    const name = page.getByRole('article').getByRole('button', { name: 'Maria' }).first();
    await name.waitFor();
    const color = await page.evaluate(() => {
      const probe = document.createElement('i');
      probe.style.color = 'var(--speaker-d)';
      document.body.append(probe);
      const found = getComputedStyle(probe).color;
      probe.remove();
      return found;
    });
    expect(await name.evaluate((element) => getComputedStyle(element).color)).toBe(color);
    await page.keyboard.press('Control+z');
    await speakersOf().first().waitFor();
  });

  it.each(['light', 'dark'] as const)('are accessible and legible (%s)', async (theme) => {
    const shots = process.env.EARSHOT_SHOTS;
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' });
    for (const width of dealt([1280, 400], Number(theme === 'dark'), 2)) {
      await page.setViewportSize({ width, height: 820 });
      await window.go('#/');
      await open('looks');
      expect(await page.locator('[data-turns]').count()).toBeGreaterThan(0);
      if (width > 1000) await page.getByRole('tab', { name: 'Speakers' }).click();
      // The narrow page is in transcript-states.test.ts as well.
      if (width > 1000) expect(await window.violations('all')).toEqual([]);
      if (shots !== undefined) await page.screenshot({ path: `${shots}/speakers-${theme}-${width}.png` });
      await page.getByRole('article').first().focus();
      await page.keyboard.press('s');
      await dialog().waitFor();
      // The wide page is checked above, and the narrow one with its dialog.
      if (width === 400) expect(await window.violations('all')).toEqual([]);
      if (shots !== undefined) await page.screenshot({ path: `${shots}/assign-${theme}-${width}.png` });
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
    }
    await page.setViewportSize({ width: 1280, height: 820 });
    await page.emulateMedia({ colorScheme: 'light' });
  });

  describe('Undo and Redo', () => {
    const button = (name: 'Undo' | 'Redo') =>
      page.getByRole('main').getByRole('button', { name, exact: true });
    const typeFirst = async (text: string) => {
      await page.getByRole('article').first().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
      await page.keyboard.press('Control+Home');
      // At once: a pause between two keys would make two edits of it.
      await page.keyboard.insertText(text);
      // Escape would close a toast as well.
      await page.keyboard.press('Enter');
      await page.locator('[data-w="0"]').getByText(text.trim()).waitFor();
    };
    /** Gives the words from the third on to speaker B: their segment is split. */
    const splitFirstParagraph = async () => {
      await page.getByRole('article').first().focus();
      await page.keyboard.press('s');
      const first = page.getByRole('combobox', { name: 'From the word' });
      await first.click();
      await page.getByRole('option', { name: /^and ·/ }).click();
      await page.getByRole('radio', { name: 'Speaker B' }).check();
      await page.getByRole('button', { name: 'Change speaker' }).click();
    };

    it('are offered above the text also for speakers whose change splits a segment', async () => {
      await open('history');
      expect(await button('Undo').count()).toBe(0);
      await typeFirst('Zanzibar ');
      await splitFirstParagraph();
      await untilParagraphs('A B A');
      await expect.poll(async () => (await stored('history')).segments.length).toBe(5);
      await button('Undo').click();
      await expect.poll(async () => (await stored('history')).segments.length).toBe(4);
      await expect.poll(() => button('Undo').isEnabled()).toBe(true);
      await button('Redo').click();
      await expect.poll(async () => (await stored('history')).segments.length).toBe(5);
      await expect.poll(() => button('Redo').isDisabled()).toBe(true);

      // What was edited before the page was opened, down to the text that was typed first.
      await page.reload();
      await button('Undo').click();
      await expect.poll(async () => (await stored('history')).segments.length).toBe(4);
      await button('Undo').click();
      await expect.poll(async () => (await stored('history')).text).toMatch(/^Good morning/);
      await expect.poll(() => button('Undo').isDisabled()).toBe(true);
    });

    /** Types after a change whose toast is held, and so does not go by itself. */
    const typeAfter = async (change: () => Promise<void>, text: string) => {
      const toast = window.toast(text);
      await window.holdingToasts(async () => {
        await change();
        await toast.waitFor();
        await typeFirst('Zanzibar ');
        await toast.waitFor({ state: 'detached' });
      });
    };

    it('go from the toast of a merge when another change follows', async () => {
      await open('merged');
      await page.getByRole('tab', { name: 'Speakers' }).click();
      const row = page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'Speaker B' });
      await row.getByRole('button', { name: 'Merge with another speaker' }).click();
      const merge = () => page.getByRole('menuitem', { name: 'Merge into Speaker A' }).click();
      await typeAfter(merge, 'Speaker B is now Speaker A.');
    });

    it('end where nothing is left, without an error', async () => {
      await open('quick');
      await typeFirst('Zanzibar ');
      await expect.poll(async () => (await stored('quick')).text).toMatch(/^Zanzibar/);
      for (let step = 0; step < 3; step++) await page.keyboard.press('Control+z');
      await expect.poll(async () => (await stored('quick')).text).toMatch(/^Good morning/);
      await page.keyboard.press('Control+y');
      await expect.poll(async () => (await stored('quick')).text).toMatch(/^Zanzibar/);
      expect(await page.locator('[data-toast]').allTextContents()).toEqual([]);
    });
  });
});
