import { copyFileSync, openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { describe, desk, memoryOf, type Run, SAMPLE, untilEnded, withProgram } from './drive.ts';

/** An entry of the tray's menu, as com.canonical.dbusmenu lays it out: id, properties, children. */
const Entry = z.tuple([
  z.int(),
  z.object({ label: z.string().optional() }),
  z.array(z.tuple([z.int(), z.object({ label: z.string().optional() }), z.unknown()])),
]);

/** What the desktop was told. */
const Notes = z.array(
  z.object({
    id: z.int().optional(),
    app: z.string().optional(),
    icon: z.string().optional(),
    title: z.string().optional(),
    hints: z.array(z.string()).optional(),
  }),
);

const trayMenu = (): ReadonlyMap<string, number> =>
  new Map(Entry.parse(desk('Menu'))[2].map(([id, { label = '' }]) => [label.replace('_', ''), id]));

const clickTray = (label: string): void => {
  desk('Click', String(trayMenu().get(label)));
};

/** Stores the sample and starts its transcription; returns its id. */
const transcribe = async (run: Run): Promise<string> => {
  const client = await run.client();
  const file = join(temporaryFolder(), 'note.wav');
  copyFileSync(SAMPLE, file);
  const form = new FormData();
  form.append('purpose', 'transcription');
  form.append('file', await openAsBlob(file), 'note.wav');
  const stored = await client.call('uploadFile', { body: form });
  const { id } = await client.call('createTranscript', {
    body: { audio_url: `storage:${stored.data.file.key}` },
  });
  return id;
};

const hasCompleted = async (run: Run, id: string): Promise<boolean> => {
  const { status } = await (await run.client()).call('getTranscript', { params: { id } });
  expect(status).not.toBe('failed');
  return status === 'completed';
};

const show = (run: Run) =>
  run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()));

describe('the desktop', () => {
  it('has a tray that says what runs, and pauses, opens and quits', () =>
    withProgram(async (run) => {
      await run.window();
      const client = await run.client();
      await until(() => trayMenu().has('Pause Queue'));
      clickTray('Pause Queue');
      await until(async () => (await client.call('getQueue')).data.paused);
      const id = await transcribe(run);
      await until(() => [...trayMenu().keys()].some((label) => label.startsWith('1 waiting')));
      clickTray('Resume Queue');
      await until(() => hasCompleted(run, id));
      // The window has the focus: it says itself what is done.
      await until(() => trayMenu().has('No transcription is running'));
      clickTray('Quit Earshot');
      await untilEnded(run);
    }));

  it('transcribes in an engine process whose end it survives, as that of the window’s', () =>
    withProgram(async (run) => {
      const page = await run.window();
      const id = await transcribe(run);
      await until(() => hasCompleted(run, id));
      expect([...memoryOf(run).keys()]).toContain('node.mojom.NodeService');
      await run.app.evaluate(({ app }) => {
        for (const { pid, serviceName } of app.getAppMetrics())
          if (serviceName === 'node.mojom.NodeService') process.kill(pid, 'SIGKILL');
      });
      const again = await transcribe(run);
      await until(() => hasCompleted(run, again));
      await page.evaluate(() => {
        window.location.hash = '/queue';
      });
      await run.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
      );
      // A script that a crashed page is given never ends.
      const isCrashPageThere = () =>
        run.app.evaluate(({ BrowserWindow }) => {
          const contents = BrowserWindow.getAllWindows()[0]?.webContents;
          return contents?.getURL().startsWith('data:') === true && !contents.isLoading();
        });
      await until(isCrashPageThere);
      const heading = await run.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
          "document.querySelector('h1').textContent",
        ),
      );
      expect(heading).toBe('This window crashed');
      expect((await (await run.client()).call('health')).status).toBe('ok');
      await run.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
          "document.querySelector('button').click()",
        ),
      );
      await until(async () =>
        /#\/queue$/.test(
          String(
            // While the page is replaced, Playwright may lose an answer.
            await run.app
              .evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL())
              .catch(() => ''),
          ),
        ),
      );
    }));

  it('is told what is done, by a notification that leads there; Ctrl+P prints the text', () =>
    withProgram(async (run) => {
      const page = await run.window();
      await run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize());
      const id = await transcribe(run);
      await until(() => hasCompleted(run, id));
      const shown = await until(() =>
        Notes.parse(desk('Told')).findLast(({ title }) => title === 'Transcription finished'),
      );
      expect([shown.app, shown.hints?.includes('image-data') || shown.icon !== '']).toEqual([
        'Earshot',
        true,
      ]);
      desk('Invoke', String(shown.id), 'default');
      await page.waitForURL(new RegExp(`#/transcript/${id}`));
      await page.locator('[data-w="1"]').waitFor();
      const printed = page.evaluate(
        () =>
          new Promise<string>((resolve) => {
            window.print = () => resolve(document.querySelector('.print-sheet')?.textContent ?? '');
          }),
      );
      await page.keyboard.press('Control+p');
      expect((await printed).length).toBeGreaterThan(20);
    }));

  it('resumes after its main process was killed', () => {
    const home = temporaryFolder();
    return withProgram(
      async (run) => {
        await run.window();
        const id = await transcribe(run);
        run.child.kill('SIGKILL');
        await untilEnded(run);
        await withProgram(
          async (next) => {
            await next.window();
            await until(() => hasCompleted(next, id));
          },
          { home },
        );
      },
      { home },
    );
  });

  it('opens and closes its window 20 times without keeping memory', () =>
    withProgram(async (run) => {
      await run.window();
      await run.app.evaluate(({ app }) => {
        app.removeAllListeners('window-all-closed');
        app.on('window-all-closed', () => {});
      });
      const cycle = async () => {
        await run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
        // Playwright hears of the closed window later than the program.
        await until(async () => (await show(run)).length === 0 && run.app.windows().length === 0);
        await run.app.evaluate(({ app }) => void app.emit('activate'));
        await run.window();
      };
      await cycle();
      const total = () => [...memoryOf(run).values()].reduce((sum, each) => sum + each, 0);
      const before = total();
      for (let times = 0; times < 20; times++) await cycle();
      expect(total() - before).toBeLessThan(40);
    }));
});
