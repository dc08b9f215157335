import { readFile } from 'node:fs/promises';
import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, TEXT_ALONE, type TestWindow } from '../support/browser.ts';
import { fixture, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { storeTalk } from '../support/written-talk.ts';

const TALK = [['A', 'Ask Clark.', 'Ask Clark.', 'Ask Ortiga.', 'Ask Ortiga.', 'Ask Ortiga.']] as const;

let server: TestServer;
let browser: Browser;
let window: TestWindow;
let talk: string;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  talk = storeTalk(dataDir, 'Talk', TALK);
  [server, browser] = await Promise.all([startServer({ dataDir, quick: true }), borrowBrowser()]);
  const options = { ...TEXT_ALONE, language: 'en' };
  window = await openWindow(browser, server, {
    width: 400,
    prefs: { options },
    at: '#/settings/vocabulary',
  });
  await window.settle();
});
afterAll(async () => {
  await browser?.close();
  await discard(server);
});

describe('your vocabulary in the settings', () => {
  const terms = async () => (await server.client.call('getVocabulary')).data.terms;
  const box = () => window.page.getByRole('textbox', { name: 'One term per line' });
  const count = (text: string) => window.page.getByRole('main').getByText(text, { exact: true }).waitFor();
  const chosen = (text: string) =>
    window.page
      .locator('input[type=file]')
      .setInputFiles({ name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });

  it('is typed and saved by keyboard alone', async () => {
    const { page } = window;
    await count('0 of 1,000 terms');
    expect(await page.getByRole('button', { name: 'Export' }).isDisabled()).toBe(true);
    await box().focus();
    await page.keyboard.type('Nguyen\nkubectl = cube control\n大森');
    await page.keyboard.press('Tab');
    await count('3 of 1,000 terms · Saved');
    expect(await terms()).toEqual(['Nguyen', { term: 'kubectl', sounds_like: ['cube control'] }, '大森']);
    expect(await window.violations()).toEqual([]);
  });

  it('names the line that is no term, and keeps what was typed', async () => {
    await box().fill('Nguyen\n\n# names\n---\n大森');
    await box().blur();
    await window.page.getByText('Line 4 is not a term').waitFor();
    expect(await box().getAttribute('aria-invalid')).toBe('true');
    expect(await box().inputValue()).toBe('Nguyen\n\n# names\n---\n大森');
    expect(await terms()).toHaveLength(3);
    expect(await window.violations()).toEqual([]);
    await box().fill('Nguyen\n大森');
    await box().blur();
    await count('2 of 1,000 terms · Saved');
    await expect.poll(() => box().getAttribute('aria-invalid')).toBe(null);
  });

  it('is imported and exported as a text', async () => {
    const { page } = window;
    await chosen(Array.from({ length: 1001 }, (_, n) => `term ${n}`).join('\n'));
    await page.getByText('These are 1,001 terms; a vocabulary has at most 1,000.').waitFor();
    await chosen('x'.repeat(1024 * 1024 + 1));
    await page.getByText('terms.txt is too large').waitFor();
    expect(await terms()).toEqual(['Nguyen', '大森']);
    await chosen('# people\r\nOrtega ^2\r\nNguyen\r\n');
    await count('2 of 1,000 terms · Saved');
    expect(await terms()).toEqual([{ term: 'Ortega', weight: 2 }, 'Nguyen']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('vocabulary.txt');
    expect(await readFile(await download.path(), 'utf8')).toBe('Ortega ^2\nNguyen\n');
  });

  it('shows what the command line has set', async () => {
    await server.client.call('putVocabulary', { body: { terms: ['Ólafur'] } });
    await window.page.reload();
    await count('1 of 1,000 terms');
    await expect.poll(() => box().inputValue()).toBe('Ólafur\n');
    expect(window.errors.splice(0).filter((text) => !text.includes('400'))).toEqual([]);
  });
});

describe('terms that were corrected twice, in the settings', () => {
  beforeAll(async () => {
    const box = window.page.getByRole('textbox', { name: 'One term per line' });
    await box.fill('');
    await box.blur();
    await window.page.getByText('0 of 1,000 terms · Saved').waitFor();
  });

  const correct = (...texts: string[]) =>
    server.client.call('patchTranscript', {
      params: { id: talk },
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
    await server.client.call('undoEdit', { params: { id: talk }, body: {} });
    await page.getByText('No suggestions yet').waitFor();
    await server.client.call('redoEdit', { params: { id: talk }, body: {} });
    const box = page.getByRole('textbox', { name: 'One term per line' });
    await box.fill('Nguyen');
    await button('Add Clarke').click();
    await window.toasted('Clarke is in your vocabulary');
    expect(await terms()).toEqual(['Nguyen', { term: 'Clarke', sounds_like: ['Clark'] }]);
    await expect.poll(() => box.inputValue()).toBe('Nguyen\nClarke = Clark\n');
    expect(window.errors).toEqual([]);
  });
});

const PATIENCE = 240_000;

describe('names and terms in the New dialog', { timeout: PATIENCE }, () => {
  const own = [{ term: 'Nordwind', sounds_like: ['Northwind'], weight: 0 }];
  let remote: UrlServer;

  beforeAll(async () => {
    remote = await startUrlServer();
    await server.client.call('putVocabulary', { body: { terms: own } });
    await window.go('#/library');
    await window.page.reload();
    await window.settle();
    await window.page.keyboard.press('n');
  });
  afterAll(() => remote.close());

  const dialog = () => window.page.getByRole('dialog', { name: 'New transcription' });
  const box = () => dialog().getByRole('textbox', { name: 'Names and terms' });
  const start = () => dialog().getByRole('button', { name: /^Transcribe/ });

  it('are refused before anything starts where they are none', async () => {
    await dialog().getByText('The term of your vocabulary applies as well.').waitFor();
    const url = remote.set('/talk.wav', file(fixture(ONE_SENTENCE)));
    await dialog().getByRole('textbox', { name: /link/i }).fill(url);
    await window.page.keyboard.press('Enter');
    await box().fill('Klarke, ---');
    await dialog().getByText('“---” is not a term').waitFor();
    expect(await box().getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => start().isDisabled()).toBe(true);
    expect(await window.violations()).toEqual([]);
    await box().fill(Array.from({ length: 1000 }, (_, n) => `term ${n}`).join(','));
    await dialog().getByText('With your vocabulary these are 1,001 terms').waitFor();
  });

  it('join those of the settings, typed and started by keyboard alone', async () => {
    const { page } = window;
    await box().focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Klarke,');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Grafana = graph an a');
    expect(await window.violations()).toEqual([]);
    // What is recognized with it is a matter of the HTTP tests of vocabularies.
    await server.client.call('pauseQueue');
    const isCreation = (sent: Request) => sent.method() === 'POST' && sent.url().endsWith('/v1/transcript');
    const creation = page.waitForRequest(isCreation);
    await page.keyboard.press('Control+Enter');
    const { vocabulary } = (await creation).postDataJSON();
    expect(vocabulary).toEqual(['Klarke', { term: 'Grafana', sounds_like: ['graph an a'] }, ...own]);
    await dialog().waitFor({ state: 'detached' });
    expect((await server.client.call('getVocabulary')).data.terms).toEqual(own);
    await page.keyboard.press('n');
    expect(await box().inputValue()).toBe('');
    expect(window.errors).toEqual([]);
  });
});
