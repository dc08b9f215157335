import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import {
  describe,
  libraryIn,
  noteMessages,
  press,
  type Run,
  startAgain,
  windowsOf,
  withProgram,
  xdotool,
} from './drive.ts';

const zoomOf = (run: Run): Promise<number | undefined> =>
  run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomLevel());

const look = (run: Run) =>
  run.app.evaluate(({ app, BrowserWindow, nativeTheme }) => ({
    name: app.getName(),
    ground: BrowserWindow.getAllWindows()[0]?.getBackgroundColor(),
    isDark: nativeTheme.shouldUseDarkColors,
  }));

describe('the native window', () => {
  it('zooms, goes back, and opens its menus by the keys that people know', () =>
    withProgram(async (run) => {
      const page = await run.window();
      expect(xdotool('search', '--onlyvisible', '--class', '^Earshot$')).not.toBe('');
      press('ctrl+equal');
      await until(async () => (await zoomOf(run)) === 0.5);
      press('ctrl+KP_Add');
      await until(async () => (await zoomOf(run)) === 1);
      press('ctrl+KP_0');
      await until(async () => (await zoomOf(run)) === 0);
      press('ctrl+2');
      await page.waitForURL(/#\/queue$/);
      press('alt+Left');
      await page.waitForURL(/:\d+\/(?:#\/)?$/);
      // Not on to the page of the start.
      press('alt+Left');
      for (const keys of ['alt+f', 'F10']) {
        const before = windowsOf(run).length;
        press(keys);
        await until(() => windowsOf(run).length > before, 10_000);
        press('Escape');
        await until(() => windowsOf(run).length === before, 10_000);
      }
      expect(page.url()).toMatch(/:\d+\/(?:#\/)?$/);
    }));

  it('stays on its own page, opens no second window, and gives no blob to the browser', () =>
    withProgram(async (run) => {
      const page = await run.window();
      await run.app.evaluate(({ shell }) => {
        Reflect.set(globalThis, 'opened', []);
        Reflect.set(
          shell,
          'openExternal',
          async (url: string) => void Reflect.get(globalThis, 'opened').push(url),
        );
      });
      const before = page.url();
      await page.evaluate(() => {
        window.open('file:///etc/passwd');
        window.open(URL.createObjectURL(new Blob(['<script>alert(1)</script>'], { type: 'text/html' })));
        window.location.assign('file:///');
        window.open('https://example.com/');
      });
      await page.waitForTimeout(500);
      expect(await run.app.evaluate(() => Reflect.get(globalThis, 'opened'))).toEqual([
        'https://example.com/',
      ]);
      expect([run.app.windows().length, page.url()]).toEqual([1, before]);
    }));

  it('takes the theme of the settings, and starts dark the next time before there is a page', () => {
    const home = temporaryFolder();
    return withProgram(
      async (run) => {
        const page = await run.window();
        expect(await look(run)).toEqual({ name: 'Earshot', ground: '#F7F5F1', isDark: false });
        await page.evaluate(() => {
          window.location.hash = '/settings';
        });
        await page.getByRole('radio', { name: 'Dark' }).click();
        await until(async () => (await look(run)).isDark);
        await run.app.evaluate(({ app }) => void setTimeout(() => app.quit(), 50));
        await until(() => run.child.exitCode !== null);
        await withProgram(
          async (next) => {
            expect(await look(next)).toEqual({ name: 'Earshot', ground: '#171614', isDark: true });
          },
          { home },
        );
      },
      { home },
    );
  });

  it('says on the page of a damaged library why nothing can be opened in it, and in the log', () => {
    const home = temporaryFolder();
    return withProgram(
      async (run) => {
        await run.window();
        const body = new FormData();
        body.set('file', new File(['a note'], 'note.txt'));
        // An empty library would be made anew.
        await (await run.client()).call('uploadFile', { body });
        run.child.kill('SIGTERM');
        await until(() => run.child.exitCode !== null);
        const database = join(libraryIn(home), 'earshot.db');
        const bytes = readFileSync(database);
        writeFileSync(database, bytes.fill(0, 0, 100));
        await withProgram(
          async (next) => {
            const page = next.app.windows()[0] ?? (await next.app.waitForEvent('window'));
            await page.getByText('earshot doctor --repair').waitFor();
            const messages = await noteMessages(next.app);
            await startAgain(home, '/tmp/talk.mp3');
            await until(async () => (await messages()).length === 1);
            expect(await messages()).toEqual([expect.stringMatching(/The library does not open/)]);
            const log = readFileSync(join(libraryIn(home), 'logs', 'earshot.log'), 'utf8');
            expect(log).toMatch(/The library is damaged and does not open/);
          },
          { home },
        );
      },
      { home },
    );
  });
});
