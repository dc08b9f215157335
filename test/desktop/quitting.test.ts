import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import {
  answerQuestion,
  describe,
  hasEnded,
  libraryIn,
  MICROPHONE,
  noteMessages,
  type Run,
  SAMPLE,
  untilEnded,
  withProgram,
} from './drive.ts';

const record = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Record' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: 'Show the text as you speak' }).click();
  await dialog.getByRole('button', { name: 'Start recording' }).click();
  await page.waitForTimeout(2500);
};

const quit = (run: Run): Promise<void> =>
  run.app.evaluate(({ app }) => void setTimeout(() => app.quit(), 50));

/** Recordings that the service kept because their window was gone. */
const recovered = async (run: Run): Promise<number> => {
  const client = await run.client();
  const { data } = await client.call('listFiles', { query: { 'metadata[recovered]': 'true' } });
  return data.files.length;
};

describe('quitting', () => {
  it('ends the program at once while nothing would be interrupted', () =>
    withProgram(async (run) => {
      await run.window();
      await quit(run);
      await untilEnded(run);
      expect(run.child.exitCode).toBe(0);
      expect(existsSync(join(libraryIn(run.home), 'server.json'))).toBe(false);
    }));

  it('asks in a recording, by menu and by the window’s X, and keeps what was recorded', () => {
    const home = temporaryFolder();
    return withProgram(
      async (run) => {
        const page = await run.window();
        await record(page);
        await quit(run);
        await answerQuestion(run, 'Escape');
        await run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
        await answerQuestion(run, 'Escape');
        expect([hasEnded(run), page.isClosed()]).toEqual([false, false]);
        await quit(run);
        await answerQuestion(run, 'Return');
        await untilEnded(run);
        await withProgram(
          async (next) => {
            await (await next.window()).getByText('Recovered recording').first().waitFor();
            expect(await recovered(next)).toBe(1);
          },
          { home },
        );
      },
      { args: MICROPHONE, home },
    );
  });

  it('asks while files are uploaded, by menu and by the window’s X', () =>
    withProgram(async (run) => {
      const page = await run.window();
      // An upload that never ends.
      await page.route('**/presigned-upload', () => {});
      await page.evaluate(() => (window.location.hash = '#/files'));
      await page.getByTestId('upload-input').setInputFiles(SAMPLE);
      await page.getByRole('region', { name: 'Uploads' }).waitFor();
      const messages = await noteMessages(run.app);
      await quit(run);
      await answerQuestion(run, 'Escape');
      await run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
      await answerQuestion(run, 'Escape');
      expect([hasEnded(run), page.isClosed()]).toEqual([false, false]);
      expect(await messages()).toEqual(
        new Array(2).fill(expect.stringContaining('Files are being uploaded.')),
      );
      await quit(run);
      await answerQuestion(run, 'Return');
      await untilEnded(run);
      expect(run.child.exitCode).toBe(0);
    }));

  it('saves a recording without a question when the system ends the session', () => {
    const home = temporaryFolder();
    return withProgram(
      async (run) => {
        await record(await run.window());
        run.child.kill('SIGTERM');
        await untilEnded(run);
        expect(run.child.exitCode).toBe(0);
        await withProgram(async (next) => expect(await until(() => recovered(next))).toBe(1), { home });
      },
      { args: MICROPHONE, home },
    );
  });
});
