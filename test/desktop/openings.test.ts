import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describe, isSignedIn, SAMPLE, startAgain, withProgram } from './drive.ts';

describe('what the system asks to open', () => {
  it('is there once the window is signed in: several files of the first start', () => {
    const folder = temporaryFolder();
    const second = join(folder, 'Šimon & co.wav');
    copyFileSync(SAMPLE, second);
    return withProgram(
      async (run) => {
        const page = await run.window();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('01-short-note.wav').waitFor();
        await dialog.getByText('Šimon & co.wav').waitFor();
      },
      { args: [SAMPLE, second] },
    );
  });

  it('is a link of the first start, and of a second one; hostile ones lead nowhere', () =>
    withProgram(
      async (run) => {
        const page = await run.window();
        await page.waitForURL(/#\/queue$/);
        const hostile = [
          'earshot://settings/../../etc/passwd',
          'earshot://transcript/"><script>',
          'earshot:///',
        ];
        expect(await startAgain(run.home, ...hostile)).toBe(0);
        expect(new URL(page.url()).hash).toBe('#/queue');
        expect(await startAgain(run.home, 'earshot://models')).toBe(0);
        await page.waitForURL(/#\/models$/);
        await page.reload();
        await isSignedIn(page);
      },
      { args: ['earshot://queue'] },
    ));

  it('opens a window from the background', () =>
    withProgram(
      async (run) => {
        await run.client();
        expect(run.app.windows()).toEqual([]);
        await startAgain(run.home, SAMPLE);
        const page = await run.window();
        await page.getByRole('dialog').getByText('01-short-note.wav').waitFor();
      },
      { args: ['--background'] },
    ));
});
