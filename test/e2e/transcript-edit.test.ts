import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk, type Turn } from '../support/written-talk.ts';

const TALK: readonly Turn[] = [
  ['A', 'Good morning and welcome to the meeting.', 'We begin with the budget of the spring.'],
  ['B', 'Thank you, the budget is ready.'],
  ['A', 'Then we can decide today.'],
];
const UNCERTAIN: readonly Turn[] = [
  ['A', 'Good morning and welcome to the ?meetign? today.'],
  ['B', 'Thank you, the budget is ready.'],
];

describe('reading and editing a transcript by pointer and keyboard', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  /** A transcript for each test, by its name. */
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => {
      for (const name of ['toast', 'paragraphs', 'mixed', 'names'])
        ids.set(name, storeTalk(dataDir, name, TALK));
      ids.set('talk', storeTalk(dataDir, 'Talk', UNCERTAIN));
      ids.set('long', storeTranscript(dataDir, spokenFor(0.2), { timestamp_style: 'word', name: 'Long' }));
    });
    [server, browser] = [started.server, await borrowBrowser()];
    // The accessibility tree of the browser stays on once it was asked for.
    window = await openWindow(browser, server, { own: true });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const stored = (name: string) =>
    server.client.call('getTranscript', { params: { id: ids.get(name) ?? '' } });
  const open = (name: string) => openTranscript(server, ids.get(name) ?? '', window);
  const words = (page: Page = window.page) => page.locator('[data-w]').allTextContents();
  const field = (page: Page = window.page) => page.getByRole('textbox', { name: 'Text of this paragraph' });
  /** Types before the first word of the transcript and ends editing. */
  const typeFirst = async (text: string) => {
    await window.page.locator('[data-w="0"]').dblclick();
    await field().waitFor();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.type(text);
    await window.page.keyboard.press('Escape');
    await window.page.locator('[data-w="0"]').getByText(text.trim()).waitFor();
  };

  it('keeps one history: the Undo of a toast goes with its change', async () => {
    const { page } = window;
    await open('toast');
    await typeFirst('Zanzibar ');
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find in transcript' }).fill('budget');
    await page.getByRole('textbox', { name: 'Replace with' }).fill('plan');
    const replaceAll = page.getByRole('button', { name: 'Replace all' });
    const toast = window.toast('2 replaced');
    await window.holdingToasts(async () => {
      await replaceAll.click();
      await toast.waitFor();
      await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
      await toast.waitFor({ state: 'detached' });
    });
    await expect.poll(() => words()).toEqual(expect.arrayContaining(['Zanzibar', 'budget']));
    await expect.poll(() => words()).not.toContain('plan');
    expect(await words()).toEqual(expect.arrayContaining(['Zanzibar', 'budget']));
    await expect.poll(async () => (await stored('toast')).text).toMatch(/^Zanzibar .*budget/s);
  });

  it('does not undo an edit of another window', async () => {
    const { page } = window;
    await open('toast');
    await typeFirst('Quixotic ');
    await page.getByText('Saved', { exact: true }).waitFor();
    await server.client.call('patchTranscript', {
      params: { id: ids.get('toast') ?? '' },
      body: { segments: [{ id: 0, text: 'Written elsewhere.' }] },
    });
    await page.locator('[data-w="0"]').getByText('Written').waitFor();
    await page.keyboard.press('Control+z');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await words()).slice(0, 2)).toEqual(['Written', 'elsewhere.']);
  });

  const paragraphs = () =>
    window.page
      .locator('.turn')
      .evaluateAll((turns) =>
        turns.map((turn) => [...turn.querySelectorAll('[data-w]')].map((word) => word.textContent).join(' ')),
      );
  /** Waits for these paragraphs from a place on. */
  const untilParagraphs = (from: number, ...expected: readonly string[]) =>
    expect.poll(async () => (await paragraphs()).slice(from, from + expected.length)).toEqual(expected);
  const exported = async (name: string) =>
    (await (await server.fetch(`/v1/transcript/id/${ids.get(name)}/export?format=txt&speakers=false`)).text())
      .trim()
      .split('\n\n');
  const WHOLE = 'Good morning and welcome to the meeting. We begin with the budget of the spring.';
  const [GREETING, BUDGET] = [
    'Good morning and welcome to the meeting.',
    'We begin with the budget of the spring.',
  ];

  it('splits a paragraph at the caret, joins it again, and undoes both', async () => {
    const { page } = window;
    await open('paragraphs');
    await untilParagraphs(0, WHOLE);
    await page.getByRole('button', { name: 'Edit the paragraph at 0:00' }).click();
    await page.keyboard.press('Control+Home');
    for (let word = 0; word < 7; word++) await page.keyboard.press('Control+ArrowRight');
    // Behind the full stop.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+Enter');
    // Editing goes on at the start of the new paragraph.
    await page.keyboard.type('Now ');
    await page.keyboard.press('Enter');
    await field().waitFor({ state: 'detached' });
    await untilParagraphs(0, GREETING, `Now ${BUDGET}`);
    await expect.poll(() => exported('paragraphs')).toContain(`Now ${BUDGET}`);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await untilParagraphs(0, WHOLE);
    await expect.poll(async () => (await exported('paragraphs'))[0]).toBe(WHOLE);
    await page.keyboard.press('Control+y');
    await untilParagraphs(0, GREETING);

    await page.reload();
    await page.getByRole('button', { name: 'Edit the paragraph at 0:02' }).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await untilParagraphs(0, WHOLE);
    await expect.poll(async () => (await exported('paragraphs'))[0]).toBe(WHOLE);
    expect((await stored('paragraphs')).segments[1]?.words).toHaveLength(8);
  });

  it('splits within a segment by the button, and edits the halves apart', async () => {
    const { page } = window;
    await open('mixed');
    await page.getByRole('button', { name: 'Edit the paragraph at 0:06' }).click();
    expect(await page.getByRole('button', { name: 'Merge with previous' }).count()).toBe(0);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+ArrowRight');
    await page.keyboard.press('Control+ArrowRight');
    // A place within a word counts as before it.
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Split here' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('for you');
    await page.keyboard.press('Escape');
    await untilParagraphs(1, 'Thank you,', 'the budget is ready. for you');
    await expect
      .poll(async () => (await stored('mixed')).segments[2])
      .toMatchObject({
        text: 'Thank you, the budget is ready. for you',
        paragraph_starts: [0, 2],
      });
    await page.getByRole('button', { name: 'Edit the paragraph at 0:06' }).first().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Oh, thanks. ');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await stored('mixed')).segments[2])
      .toMatchObject({
        text: 'Oh, thanks. Thank you, the budget is ready. for you',
        paragraph_starts: [0, 4],
      });
    await page.getByRole('button', { name: 'Edit the paragraph at 0:06' }).last().click();
    await page.getByRole('button', { name: 'Merge with previous' }).click();
    await page.keyboard.press('Enter');
    await untilParagraphs(1, 'Oh, thanks. Thank you, the budget is ready. for you');
  });

  const focused = ({ page } = window) =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName,
    );

  it('puts the caret before a double-clicked word and leaves the speaker visible', async () => {
    const { page } = window;
    await open('talk');
    await page.setViewportSize({ width: 400, height: 820 });
    await page.locator('[data-w="4"]').dblclick();
    const field = page.getByRole('textbox', { name: 'Text of this paragraph' });
    await field.waitFor();
    await page.keyboard.type('very ');
    await expect
      .poll(async () => (await field.textContent())?.trim())
      .toBe('Good morning and welcome very to the meetign today.');
    const name = await page.getByRole('feed').getByRole('button', { name: 'Speaker A' }).boundingBox();
    const box = await field.boundingBox();
    // The frame is drawn 6 px outside of the box.
    expect((box?.y ?? 0) - 6).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? 0));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await page.locator('[data-w="4"]').getByText('to', { exact: true }).waitFor();
    await page.getByText('Saved', { exact: true }).waitFor({ state: 'attached' });
    await page.setViewportSize({ width: 1280, height: 820 });
  });

  it('offers what can be done with the transcript in the commands, by keyboard alone', async () => {
    const { page } = window;
    await open('talk');
    const choose = async (words: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('group', { name: 'This transcript' }).waitFor();
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
    };
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Find in transcript Ctrl F' }).waitFor();
    await page.keyboard.press('Escape');
    await choose('copy with');
    await window.toasted('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('welcome to the');
    await choose('edit the');
    const field = page.getByRole('textbox', { name: 'Text of this paragraph' });
    await page.waitForFunction(() => document.activeElement?.hasAttribute('contenteditable'));
    await field.press('Escape');
    // Another screen has nothing of it.
    await window.go('#/files');
    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Actions' }).waitFor();
    expect(await page.getByRole('group', { name: 'This transcript' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('frames nothing when a word was clicked and Space is pressed', async () => {
    const { page } = window;
    await open('talk');
    await page.locator('[data-w="2"]').click();
    await page.keyboard.press(' ');
    await page.keyboard.press('Shift');
    const outlines = await page.evaluate(() => {
      const chain: string[] = [];
      for (let each = document.activeElement; each !== null; each = each.parentElement)
        if (getComputedStyle(each).outlineStyle !== 'none') chain.push(each.className);
      return chain;
    });
    expect(outlines).toEqual([]);
    // The arrow keys show where the focus goes.
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused()).toBe('Speaker B, 00:00:03');
    const ring = await page
      .locator('.turn:focus')
      .evaluate((turn) => getComputedStyle(turn, '::after').outlineStyle);
    expect(ring).toBe('solid');
  });

  it('has few Tab stops on a long transcript, with arrow keys inside', async () => {
    const { page } = window;
    await open('long');
    await page.locator('.turn').nth(3).waitFor();
    const stops = await page
      .getByRole('feed')
      .evaluate((feed) => feed.querySelectorAll('[tabindex="0"], button:not([tabindex="-1"])').length);
    expect(stops).toBeLessThanOrEqual(3);
    await page.locator('.turn[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    const paragraph = page.locator('.turn:focus');
    await expect.poll(() => paragraph.getAttribute('aria-posinset')).toBe('2');
    await page.keyboard.press('End');
    await page.waitForFunction(() => {
      const turn = document.activeElement;
      return turn?.getAttribute('aria-posinset') === turn?.getAttribute('aria-setsize');
    });
    // The list scrolls to it while the paragraphs on the way are measured.
    await expect
      .poll(async () => {
        const last = await paragraph.boundingBox();
        return last === null ? Number.NaN : last.y + last.height;
      })
      .toBeLessThanOrEqual(820);
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-posinset') === '1');
  });

  it('returns the focus to where it was after editing', async () => {
    const { page } = window;
    await open('talk');
    const field = page.getByRole('textbox', { name: 'Text of this paragraph' });
    await page.locator('.turn[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await field.waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.matches('.turn[aria-posinset="2"]'));

    await page.keyboard.press('r');
    const edit = page.getByRole('button', { name: 'Edit E' });
    await edit.press('Enter');
    await field.waitFor();
    // The uncertain word is selected: an arrow key puts the caret before it.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('big ');
    await page.keyboard.press('Enter');
    await page.locator('[data-w="6"]').getByText('big').waitFor();
    await expect.poll(() => edit.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Talk', exact: true }).press('Enter');
    await page.getByRole('textbox').fill('Talk of the day');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Talk of the day');
  });

  it('says uncertain words to screen readers, and copies them without that', async () => {
    const { page, context } = window;
    await open('talk');
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    expect(nodes.filter(({ name }) => name?.value === '(uncertain)')).not.toEqual([]);
    expect(await page.locator('.turn p').first().ariaSnapshot()).toContain('the meetign (uncertain) today.');
    await page.evaluate(() =>
      getSelection()?.selectAllChildren(document.querySelector('.turn p') ?? document.body),
    );
    await page.keyboard.press('Control+c');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'Good morning and welcome to the meetign today.',
    );
  });

  it('made no requests to other hosts and logged no errors', () => {
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
