import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { discard, type TestServer } from '../support/server.ts';
import { startWithStored } from '../support/stored-transcripts.ts';
import { storeTalk } from '../support/written-talk.ts';

const TALK = [['A', 'Ask Clark.', 'Ask Clark.', 'Ask Ortiga.', 'Ask Ortiga.', 'Ask Ortiga.']] as const;

describe('terms that were corrected twice, in the settings', () => {
  let server: TestServer;
  let browser: Browser;
  let window: TestWindow;
  let id: string;

  beforeAll(async () => {
    const [started, borrowed] = await Promise.all([
      startWithStored((dataDir) => storeTalk(dataDir, 'Talk', TALK)),
      borrowBrowser(),
    ]);
    server = started.server;
    id = started.stored;
    browser = borrowed;
    window = await openWindow(browser, server, { width: 400, at: '#/settings/vocabulary' });
    await window.settle();
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
  });

  const correct = (...texts: string[]) =>
    server.client.call('patchTranscript', {
      params: { id },
      body: { segments: texts.map((text, place) => ({ id: place, text })) },
    });
  const button = (name: string) => window.page.getByRole('button', { name, exact: true });
  const terms = async () => (await server.client.call('getVocabulary')).data.terms;
  const allow = () => window.page.getByRole('switch', { name: 'Suggest terms that I correct twice' });

  it('are off until they are asked for', async () => {
    // It cannot be used, nor focused, before it is known whether it is on.
    await expect.poll(() => allow().isEnabled()).toBe(true);
    expect(await allow().getAttribute('aria-checked')).toBe('false');
    await allow().focus();
    await window.page.keyboard.press('Space');
    await window.page.getByText('No suggestions yet').waitFor();
    await expect.poll(async () => (await server.client.call('listTermSuggestions')).data.enabled).toBe(true);
    expect(await window.violations()).toEqual([]);
  });

  it('appear as they are corrected, and are added by keyboard', async () => {
    const { page } = window;
    await correct('Ask Klarke.', 'Ask Klarke.', 'Ask Ortega.', 'Ask Ortega.', 'Ask Ortega.');
    const items = page.getByRole('listitem').filter({ hasText: 'Corrected' });
    await button('Add Klarke').waitFor();
    await expect
      .poll(() => items.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Corrected 3 times: Ortiga\s+Ortega/),
        expect.stringMatching(/^Corrected twice: Clark\s+Klarke/),
      ]);
    expect(await terms()).toEqual([]);
    expect(await window.violations()).toEqual([]);
    await button('Add Klarke').focus();
    await page.keyboard.press('Enter');
    await window.toasted('Klarke is in your vocabulary');
    const box = page.getByRole('textbox', { name: 'One term per line' });
    await expect.poll(() => box.inputValue()).toBe('Klarke = Clark\n');
    expect(await terms()).toEqual([{ term: 'Klarke', sounds_like: ['Clark'] }]);
    await button('Add Klarke').waitFor({ state: 'detached' });
    await expect.poll(() => items.count()).toBe(1);
  });

  it('are not suggested again', async () => {
    await button('Not this: Ortega').click();
    await window.page.getByText('No suggestions yet').waitFor();
    expect(await terms()).toHaveLength(1);
    await window.page.reload();
    await window.page.getByText('No suggestions yet').waitFor();
  });

  it('go when the correction is undone, and join what is being typed', async () => {
    const { page } = window;
    await correct('Ask Clarke.', 'Ask Clarke.');
    await button('Add Clarke').waitFor();
    await server.client.call('undoEdit', { params: { id }, body: {} });
    await page.getByText('No suggestions yet').waitFor();
    await server.client.call('redoEdit', { params: { id }, body: {} });
    const box = page.getByRole('textbox', { name: 'One term per line' });
    await box.fill('Nguyen');
    await button('Add Clarke').click();
    await window.toasted('Clarke is in your vocabulary');
    expect(await terms()).toEqual(['Nguyen', { term: 'Clarke', sounds_like: ['Clark'] }]);
    await expect.poll(() => box.inputValue()).toBe('Nguyen\nClarke = Clark\n');
    expect(window.errors).toEqual([]);
  });
});
