import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

const MAX_TABS = 60;

/** From the first start to an exported file, with `page.keyboard` alone. */
describe('the whole path by keyboard', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ args: [], quick: true }), borrowBrowser()]);
    // No analysis: only what the keys do is of interest.
    window = await openWindow(browser, server, { prefs: { options: TEXT_ALONE } });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  /** The name of what has the focus, and whether a person sees that it has. */
  const focused = () =>
    window.page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return { name: '', isSeen: true };
      // Search fields and paragraphs show the ring on a part of their own.
      const shown = [element, element.parentElement].filter((each) => each !== null);
      const styles = [...shown.map((each) => getComputedStyle(each)), getComputedStyle(element, '::after')];
      return {
        name: element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '',
        isSeen: styles.some(
          ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px',
        ),
      };
    });
  /** Presses Tab until something with this name has the focus. */
  const tabTo = async (name: RegExp) => {
    const passed: string[] = [];
    for (let tabs = 0; tabs < MAX_TABS; tabs++) {
      await window.page.keyboard.press('Tab');
      const now = await focused();
      expect(now.isSeen, `the focus on ${now.name}`).toBe(true);
      if (name.test(now.name)) return;
      passed.push(now.name);
    }
    throw new Error(`Tab did not reach ${name}; it passed ${passed.join(' | ')}`);
  };

  it('starts, transcribes the sample, edits, reviews and exports', async () => {
    const { page } = window;
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Try it with a sample' }).waitFor();
    await tabTo(/^Try it with a sample/);
    await keyboard.press('Enter');
    const create = page.getByRole('dialog', { name: 'New transcription' });
    await create.getByText('0:', { exact: false }).first().waitFor();
    // Tab passes it by until the models are listed.
    await expect.poll(() => create.getByRole('button', { name: /^Transcribe/ }).isEnabled()).toBe(true);
    await tabTo(/^Transcribe/);
    await keyboard.press('Enter');
    await create.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'two-readers' }).waitFor();
    await tabTo(/^two-readers/);
    await keyboard.press('Enter');

    const feed = page.getByRole('feed');
    await feed.getByText('typography', { exact: false }).first().waitFor({ timeout: 150_000 });
    await page.getByRole('button', { name: 'Export' }).waitFor();
    await tabTo(/00:00:0\d$/);
    await keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Text of this paragraph' }).waitFor();
    await keyboard.press('Control+Home');
    await keyboard.type('Zanzibar ');
    await keyboard.press('Enter');
    await feed.getByText('Zanzibar').first().waitFor();
    expect((await focused()).name).toMatch(/00:00:0\d$/);

    await keyboard.press('r');
    const review = page.getByRole('region', { name: 'Review' });
    await review.getByText('Uncertain word').first().waitFor();
    for (let word = 0; word < 50 && (await review.getByText('Uncertain word').count()) > 0; word++)
      await keyboard.press('a');
    await review.getByText('No uncertain words left.').waitFor();
    await keyboard.press('Escape');
    await review.waitFor({ state: 'detached' });

    await keyboard.press('Control+e');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByText('Zanzibar', { exact: false }).first().waitFor();
    const isOnRadio = () =>
      page.evaluate(
        () => document.activeElement instanceof HTMLInputElement && document.activeElement.type === 'radio',
      );
    for (let tabs = 0; tabs < MAX_TABS && !(await isOnRadio()); tabs++) await keyboard.press('Tab');
    const subtitles = dialog.getByRole('radio', { name: 'SRT' });
    for (let step = 0; step < 10 && !(await subtitles.isChecked()); step++) await keyboard.press('ArrowDown');
    await dialog.getByText('-->', { exact: false }).first().waitFor();
    await tabTo(/^Save as SRT/);
    const [download] = await Promise.all([page.waitForEvent('download'), keyboard.press('Enter')]);
    expect(await readFile(await download.path(), 'utf8')).toContain('Zanzibar');
    expect(window.errors).toEqual([]);
    expect(window.foreign).toEqual([]);
  });
});
