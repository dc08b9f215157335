import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, prefer, type TestWindow } from '../support/browser.ts';
import { fakeVulkan } from '../support/fake-vulkan.ts';
import { type LanguageModel, startLanguageModel } from '../support/language-model.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

describe('settings', () => {
  let server: TestServer;
  let model: LanguageModel;
  let browser: Browser;
  let window: TestWindow;

  beforeAll(async () => {
    const { addonPath } = fakeVulkan({ cpu: 20, device: 900 });
    [server, model, browser] = await Promise.all([
      startServer({ args: ['--allow-private-addresses'], env: { EARSHOT_ADDON: addonPath } }),
      startLanguageModel(() => ({ content: '{"bullets": []}' })),
      borrowBrowser(),
    ]);
    window = await openWindow(browser, server, { at: '#/settings/performance' });
  });
  afterAll(async () => {
    await browser?.close();
    await discard(server);
    await model.close();
  });

  const stored = async (key: string) =>
    (await server.client.call('getSettings')).data.find((each) => each.key === key)?.value;
  const choose = async (field: string, choice: RegExp) => {
    await window.page.getByRole('combobox', { name: field }).click();
    await window.page.getByRole('option', { name: choice }).click();
  };

  it('say which models the graphics processor runs, and why not others', async () => {
    const state = window.page.getByRole('main').getByRole('status');
    await state.getByText('Fake GPU is not used').waitFor();
    await state.getByText(/^base-q8_0: not faster, \S+ instead of \S+ seconds$/).waitFor();
    expect(await window.violations()).toEqual([]);
    await window.page.getByRole('combobox', { name: 'Graphics processor' }).click();
    await window.page.getByRole('option', { name: 'Never use it' }).click();
    await state.getByText('Switched off: models run on the processor').waitFor();
    await window.go('#/settings/about');
    await window.page.getByText('Switched off: models run on the processor').waitFor();
    expect(window.errors).toEqual([]);
  });

  it.each([
    ['en', 'Server', 'Credits', 'API keys'],
    ['de', 'Server', 'Credits', 'API-Schlüssel'],
    ['es', 'Servidor', 'Créditos', 'Claves de API'],
    ['fr', 'Serveur', 'Crédits', 'Clés d’API'],
  ])(
    'keep limits, credits and keys last, apart from what everyone uses (%s)',
    async (locale, name, credits, keys) => {
      const { page } = window;
      await prefer(window, { locale });
      await window.go('#/settings');
      const main = page.getByRole('main');
      expect(await main.locator('nav li').last().textContent()).toBe(name);
      for (const section of ['connections', 'network', 'models', 'performance', 'storage']) {
        await window.go(`#/settings/${section}`);
        expect(await main.getByRole('heading', { name: credits }).count(), section).toBe(0);
      }
      await main.getByRole('link', { name, exact: true }).click();
      await main.getByRole('heading', { name: credits }).waitFor();
      await main.getByRole('link', { name: keys }).click();
      await page.waitForURL(/#\/api$/);
      await prefer(window, {});
    },
  );

  it('chooses models and speaker models from lists', async () => {
    const { page } = window;
    await window.go('#/settings/models');
    await choose('Pro', /^Whisper small ·/);
    await expect.poll(() => stored('models.aliases.pro')).toBe('small-q8_0');
    await choose('Mini', /^Parakeet TDT 0\.6B v3 ·/);
    await expect.poll(() => stored('models.aliases.mini')).toMatch(/^parakeet-tdt-0\.6b-v3/);
    await page.getByRole('combobox', { name: 'Model that compares voices' }).click();
    await page.getByRole('option').first().waitFor();
    const names = await page.getByRole('option').allTextContents();
    expect(names.length).toBeGreaterThan(1);
    expect(names.every((name) => !name.startsWith('Whisper'))).toBe(true);
    await page.keyboard.press('Escape');
    expect(await window.violations()).toEqual([]);
  });

  it('tries the language model and lists the models of its server', async () => {
    const { page } = window;
    await window.go('#/settings/language-model');
    const attempt = page.getByRole('button', { name: 'Try it' });
    const result = page.getByRole('main').getByRole('status');
    await attempt.click();
    await result.getByText('Enter the program’s address first.').waitFor();
    const address = page.getByRole('textbox', { name: 'Address' });
    await address.fill('http://127.0.0.1:9/v1');
    await address.press('Enter');
    await expect.poll(() => stored('llm.url')).toBe('http://127.0.0.1:9/v1');
    await attempt.click();
    await result.getByText('can’t be reached', { exact: false }).waitFor();
    expect(await window.violations()).toEqual([]);
    await address.fill(model.baseUrl);
    await address.press('Enter');
    await expect.poll(() => stored('llm.url')).toBe(model.baseUrl);
    await attempt.click();
    await result.getByText('Choose one of its models above.', { exact: false }).waitFor();
    await result.getByText('large, small').waitFor();
    await choose('Model', /^small$/);
    await expect.poll(() => stored('llm.model')).toBe('small');
    await attempt.click();
    await result.getByText(/^small answered after/).waitFor();
    expect(await window.violations()).toEqual([]);
    expect(window.errors).toEqual([]);
    expect(window.foreign).toEqual([]);
  });

  it('shares theme and text size with another window, in which neither is lost', async () => {
    const { page } = window;
    await window.go('#/settings/appearance');
    const other = await page.context().newPage();
    await other.goto(`${server.url}/#/settings/appearance`);
    const root = (of: typeof page, state: string) =>
      of.locator(`html${state}`).waitFor({ state: 'attached' });
    await other.getByRole('radio', { name: 'Large', exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Dark', exact: true }).click();
    await root(other, '[data-theme="dark"]');
    await other.getByRole('radio', { name: 'Large', exact: true }).click();
    await root(page, '[style*="--text-scale: 1.15"]');
    await page.getByRole('radio', { name: 'Large', exact: true, checked: true }).waitFor();
    for (const each of [page, other]) await root(each, '[data-theme="dark"]');
    // A page of the same origin in which nothing runs, as a window of another version that knows other preferences.
    await other.goto(`${server.url}/robots.txt`);
    const write = (text: string) =>
      other.evaluate((prefs) => localStorage.setItem('earshot.prefs', prefs), text);
    for (const [text, theme] of [
      ['{"theme":"dark","later":1}', 'dark'],
      ['{"theme":"light","later":1}', 'light'],
      ['null', 'light'],
      ['{"theme":"dark"}', 'dark'],
      ['{', 'light'],
    ] as const) {
      await write(text);
      await root(page, `[data-theme="${theme}"]`);
    }
    await write('{"theme":"dark","later":1}');
    await root(page, '[data-theme="dark"]');
    await page.getByRole('radio', { name: 'Dark', exact: true, checked: true }).waitFor();
    expect(await other.evaluate(() => localStorage.getItem('earshot.prefs'))).toContain('later');
    await other.close();
    expect(window.errors).toEqual([]);
  });
});
