import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PEAKS_PER_SECOND } from '../../electron/core/base/audio.ts';
import { PEAKS_FILE } from '../../electron/core/pipeline/recognition/peaks.ts';
import { type Browser, borrowBrowser, openWindow, prefer, type TestWindow } from '../support/browser.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, type TestServer } from '../support/server.ts';
import { openTranscript, startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';
import { untilFrame } from './until-frame.ts';

/** Stores the waveform of a talk with a pause every ten seconds, which grows louder. */
const writePeaks = async (dataDir: string, id: string, seconds: number) => {
  const peaks = Int8Array.from({ length: seconds * PEAKS_PER_SECOND * 2 }, (_, index) => {
    const at = Math.floor(index / 2);
    const isPause = at % 200 > 160;
    const loudness = isPause ? 1 : 20 + ((at * 37) % 60) * (0.3 + at / (seconds * PEAKS_PER_SECOND));
    return index % 2 === 0 ? -loudness : loudness;
  });
  const folder = join(dataDir, 'transcripts', id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, PEAKS_FILE), peaks);
};

describe('player and places of a transcript', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let talk: string;
  let hour: string;

  beforeAll(async () => {
    const started = await startWithStored(async (dataDir) => {
      const long = storeTranscript(dataDir, spokenFor(1), { timestamp_style: 'word', name: 'Hour' });
      await writePeaks(dataDir, long, 3600);
      const short = storeTalk(
        dataDir,
        'Talk',
        [
          ['A', 'Good morning, the spring budget is late.'],
          ['B', 'Then we talk about the spring budget first.'],
        ],
        { topics: ['Personal Finance'], key_phrases: ['spring budget'] },
      );
      return { talk: short, hour: long };
    });
    ({ talk, hour } = started.stored);
    [server, browser] = [started.server, await borrowBrowser()];
    window = await openWindow(browser, server);
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const open = () => openTranscript(server, talk, window);

  it('restores the volume when it is unmuted, also after a reload', async () => {
    const { page } = window;
    await open();
    const volume = page.getByRole('slider', { name: 'Volume' });
    await volume.fill('0.4');
    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    await expect.poll(() => volume.inputValue()).toBe('0');
    await page.reload();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await expect.poll(() => volume.inputValue()).toBe('0.4');
    await volume.fill('0');
    await page.getByRole('button', { name: 'Unmute' }).click();
    await expect.poll(() => volume.inputValue()).toBe('0.4');
  });

  it('keeps its shortcuts after a click on the waveform, the volume or a tab of the insights', async () => {
    const { page } = window;
    await open();
    const rate = (times: string) => page.getByRole('button', { name: `Speed ${times}×`, exact: true });
    const times = page.getByRole('region', { name: 'Word and subtitle times' });
    const volume = page.getByRole('slider', { name: 'Volume' });
    await volume.fill('0.4');
    for (const control of [
      page.getByRole('slider', { name: 'Position' }),
      volume,
      page.getByRole('tab', { name: 'Speakers' }),
    ]) {
      await control.click();
      await page.keyboard.press(']');
      await rate('1.25').waitFor();
      await page.keyboard.press('[');
      await rate('1').waitFor();
      for (const key of ['t', 'Escape']) {
        await control.press('t');
        await times.waitFor();
        // The panel has taken the focus.
        await page.locator('[data-border="start"]:focus').waitFor();
        await control.press(key);
        await times.waitFor({ state: 'detached' });
      }
    }
    // Arrows stay with the controls that have them.
    const position = page.getByRole('slider', { name: 'Position' });
    await position.press('Home');
    const before = Number(await volume.inputValue());
    await volume.press('ArrowLeft');
    expect(Number(await volume.inputValue())).toBeCloseTo(before - 0.05);
    await page.getByRole('tab', { name: 'Speakers' }).press('ArrowRight');
    await page.locator('[role="tab"]:focus', { hasText: 'Details' }).waitFor();
    expect(await position.getAttribute('aria-valuenow')).toBe('0');
    await volume.fill('1');
  });

  it('finds the places of a key phrase one after the other', async () => {
    const { page } = window;
    const chip = page.getByRole('tabpanel').getByRole('button', { name: 'spring budget' });
    await page.setViewportSize({ width: 400, height: 820 });
    await window.go('#/');
    await open();
    for (const [position, word] of [
      ['1 of 2', 3],
      ['2 of 2', 12],
      ['1 of 2', 3],
    ] as const) {
      await page.getByRole('button', { name: 'Show insights' }).click();
      await chip.click();
      await page.getByText(position, { exact: true }).waitFor();
      await page.locator(`[data-w="${word}"].hit.now`).waitFor();
    }
    await page.getByRole('button', { name: 'Show insights' }).click();
    await page.getByRole('dialog', { name: 'Insights' }).waitFor();
    expect(await window.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 820 });
  });

  describe('in French, whose labels are long', () => {
    beforeAll(async () => {
      await open();
      await prefer(window, { locale: 'fr' });
      await window.page.locator('[data-w="0"]').waitFor();
    });
    afterAll(async () => {
      await window.page.setViewportSize({ width: 1280, height: 820 });
      await prefer(window, {});
    });

    it('goes to the next place of a topic, in the window’s language', async () => {
      const { page } = window;
      const chip = page.getByRole('button', { name: 'Finances personnelles' });
      for (const word of [4, 13, 4]) {
        await chip.click();
        await page.locator(`[data-w="${word}"].play`).waitFor();
      }
    });

    it('gives the name and the controls room at every width', async () => {
      const { page } = window;
      for (const width of [1280, 1024, 768, 400]) {
        await page.setViewportSize({ width, height: 820 });
        await untilFrame(page);
        const share = await page.evaluate(() => {
          const heading = document.querySelector('main h1')?.parentElement;
          return (heading?.clientWidth ?? 0) / (document.querySelector('main header')?.clientWidth ?? 1);
        });
        expect(share, `${width} px`).toBeGreaterThan(0.35);
        // No control has a label of two lines.
        const heights = await page
          .locator('main section button, main section .tnum')
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
        expect(heights.length, `${width} px`).toBeGreaterThan(5);
        expect(Math.max(...heights), `${width} px`).toBeLessThan(42);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      }
    });
  });

  it('shows overview and detail of an hour, zooms, and brings the text along', async () => {
    const { page } = window;
    await page.goto(`${server.url}/#/transcript/${hour}`);
    const detail = page.locator('[data-detail]');
    await detail.getByText('2:00', { exact: true }).waitFor();
    const slider = page.getByRole('slider', { name: 'Position' });
    const box = await slider.boundingBox();
    // The middle of the hour, in the text as well.
    await slider.click({ position: { x: (box?.width ?? 0) / 2, y: 8 } });
    await detail.getByText('29:4', { exact: false }).waitFor();
    const played = page.locator('.w.play');
    await played.waitFor();
    const middle = Number(await played.getAttribute('data-w'));
    expect(Math.abs(middle - 5000)).toBeLessThan(100);
    // Within the detail, 2 minutes wide.
    await detail
      .locator('canvas')
      .first()
      .click({ position: { x: (box?.width ?? 0) * 0.9, y: 20 } });
    await expect
      .poll(async () => Number(await slider.getAttribute('aria-valuenow')))
      .toBeGreaterThan(1800 + 80);
    await page.locator('.w.play').waitFor();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Zoom in' }).isDisabled()).toBe(true);
    await slider.press('-');
    await slider.press('-');
    await expect.poll(() => page.getByRole('button', { name: 'Zoom out' }).isDisabled()).toBe(true);
    await slider.press('Home');
    await detail.getByText('10:00', { exact: true }).waitFor();
    await page.locator('[data-w="0"].play').waitFor();
  });

  it('previews the export formats', async () => {
    const { page } = window;
    await open();
    await page.keyboard.press('Control+e');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    const preview = dialog.getByRole('region', { name: 'Preview' });
    // Text is previewed below, SRT in whole-path.test.ts.
    for (const [format, shown] of [
      ['Word', 'Speaker A'],
      ['JSON', '"segments"'],
    ] as const) {
      await dialog.getByText(format, { exact: true }).click();
      await preview.getByText(shown, { exact: false }).first().waitFor();
    }
    await dialog.getByText('CSV', { exact: true }).click();
    const [sheet] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    // Excel reads UTF-8 after this mark alone.
    expect((await readFile(await sheet.path(), 'utf8')).startsWith('\ufeffsegment_id,')).toBe(true);
    await open();
    await page.getByRole('button', { name: 'More for this transcript' }).click();
    await page.getByRole('menuitem', { name: 'Copy with times' }).click();
    await window.toasted('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /\d{2}:\d{2}[\s\S]*Good morning/,
    );
  });

  it('waits for the save before it previews the export, and says so', async () => {
    const { page } = window;
    await open();
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    await page.route('**/v1/transcript/id/*', async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await page.locator('[data-w="0"]').dblclick();
    await page.keyboard.type('Zanzibar, ');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+e');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByRole('status').getByText('Saving your corrections…').waitFor();
    expect(await dialog.getByRole('button', { name: /^Save as/ }).isDisabled()).toBe(true);
    release();
    await dialog.getByText('Text', { exact: true }).click();
    await dialog.getByRole('region', { name: 'Preview' }).getByText('Zanzibar').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('Escape');
  });

  it('says once, beside the format, why an export failed', async () => {
    const { page } = window;
    await open();
    await page.keyboard.press('Control+e');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByRole('region', { name: 'Preview' }).locator('pre').waitFor();
    await page.route('**/export?*', (route) => route.abort());
    await dialog.getByRole('button', { name: 'Save as Text' }).click();
    const reason = page.getByText('Can’t reach Earshot. Is the program still running?');
    await dialog.getByRole('alert').filter({ has: reason }).waitFor();
    expect(await page.locator('[data-toast]').filter({ has: reason }).count()).toBe(0);
    // A preview that fails as well says it once.
    await dialog.getByText('SRT', { exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Save as SRT' }).click();
    expect(await reason.count()).toBe(1);
    expect(await window.violations()).toEqual([]);
    await page.unroute('**/export?*');
    await dialog.getByText('WebVTT', { exact: true }).click();
    await dialog.getByText('-->', { exact: false }).first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('proposes the nearest word where a search finds nothing', async () => {
    const { page } = window;
    await window.go('#/');
    await page.getByRole('searchbox').fill('spring bugdet');
    const suggestion = page.getByRole('button', { name: 'Did you mean “spring budget”?' });
    await suggestion.waitFor();
    expect(await window.violations()).toEqual([]);
    await suggestion.press('Enter');
    await page.getByRole('region', { name: 'Search results' }).locator('mark').first().waitFor();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('spring budget');
    await page.getByRole('searchbox').fill('');
  });

  it('made no requests to other hosts and logged no errors', () => {
    expect(window.foreign).toEqual([]);
    expect(window.errors).toEqual([]);
  });
});
