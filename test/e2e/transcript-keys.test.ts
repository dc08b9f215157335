import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';

describe('reading and editing a transcript by pointer and keyboard', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let talk: string;
  let long: string;

  beforeAll(async () => {
    const started = await startWithStored((dataDir) => ({
      talk: storeTalk(dataDir, 'Talk', [
        ['A', 'Good morning and welcome to the ?meetign? today.'],
        ['B', 'Thank you, the budget is ready.'],
      ]),
      long: storeTranscript(dataDir, spokenFor(0.2), { timestamp_style: 'word', name: 'Long' }),
    }));
    ({ talk, long } = started.stored);
    [server, browser] = [started.server, await borrowBrowser()];
    // The accessibility tree of the browser stays on once it was asked for.
    window = await openWindow(browser, server, { own: true });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const open = (id: string) => openTranscript(server, id, window);
  const focused = ({ page } = window) =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName,
    );

  it('puts the caret before a double-clicked word and leaves the speaker visible, wide and narrow', async () => {
    const { page } = window;
    await open(talk);
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 820 });
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
      expect(await window.violations()).toEqual([]);
      await page.getByText('Saved', { exact: true }).waitFor({ state: 'attached' });
    }
    await page.setViewportSize({ width: 1280, height: 820 });
  });

  it('offers what can be done with the transcript in the commands, by keyboard alone', async () => {
    const { page } = window;
    await open(talk);
    const choose = async (words: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('group', { name: 'This transcript' }).waitFor();
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
    };
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Find in transcript Ctrl F' }).waitFor();
    expect(await window.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await choose('copy with');
    await window.toasted('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('welcome to the');
    await choose('edit the');
    const field = page.getByRole('textbox', { name: 'Text of this paragraph' });
    await page.waitForFunction(() => document.activeElement?.hasAttribute('contenteditable'));
    await field.press('Escape');
    await choose('who speaks');
    await page.getByRole('dialog', { name: 'Who speaks?' }).waitFor();
    await page.keyboard.press('Escape');
    await choose('export');
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
    await page.keyboard.press('Escape');
    // Another screen has nothing of it.
    await window.go('#/files');
    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Actions' }).waitFor();
    expect(await page.getByRole('group', { name: 'This transcript' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('frames nothing when a word was clicked and Space is pressed', async () => {
    const { page } = window;
    await open(talk);
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
    await open(long);
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
    expect(await window.violations()).toEqual([]);
  });

  it('returns the focus to where it was after editing', async () => {
    const { page } = window;
    await open(talk);
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
    // The caret stands before the uncertain word.
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
    await open(talk);
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
