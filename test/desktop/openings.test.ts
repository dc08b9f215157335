import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import {
  answerQuestion,
  describe,
  isSignedIn,
  noteMessages,
  press,
  SAMPLE,
  startAgain,
  withProgram,
} from './drive.ts';

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

  it('goes on, and says what is wrong, when a file is gone, no recording, or not to be read', () =>
    withProgram(async (run) => {
      const page = await run.window();
      const client = await run.client();
      const folder = temporaryFolder();
      const notes = join(folder, 'notes.txt');
      writeFileSync(notes, 'Milk, bread');
      const questions = await noteMessages(run.app);
      await startAgain(run.home, join(folder, 'gone.mp3'), notes, join(folder, 'gone/too.wav'));
      const details = [
        '“gone.mp3” is not there any more. It may have been moved or renamed.',
        '“notes.txt” is not an audio or video recording.',
        '“too.wav” is not there any more. It may have been moved or renamed.',
      ];
      await until(async () => (await questions()).length > 0);
      expect(await questions()).toEqual([`3 files could not be opened.\n${details.join('\n')}`]);
      // The message is open, and the service answers.
      expect((await client.call('health')).status).toBe('ok');
      await answerQuestion(run, 'Return');
      copyFileSync(SAMPLE, join(folder, 'talk.AIFF'));
      await startAgain(run.home, join(folder, 'talk.AIFF'));
      await until(async () => (await questions()).length > 1 || (await page.getByRole('dialog').count()) > 0);
      expect((await questions()).slice(1)).toEqual([]);
      await page.getByRole('dialog').getByText('talk.AIFF').waitFor();
    }));

  it('is chosen in the native dialog, which names the kinds, and dropped on the window', () =>
    withProgram(async (run) => {
      const page = await run.window();
      await run.app.evaluate(({ dialog }, chosen) => {
        // A stub: nothing on a virtual screen can click in GTK's dialog.
        Reflect.set(dialog, 'showOpenDialog', async (parent: object, options: object) => {
          Reflect.set(globalThis, 'asked', {
            hasParent: parent.constructor.name === 'BrowserWindow',
            options,
          });
          return { canceled: false, filePaths: [chosen] };
        });
      }, SAMPLE);
      press('ctrl+o');
      const form = page.getByRole('dialog');
      await form.getByText('01-short-note.wav').waitFor();
      const asked = await run.app.evaluate(() => Reflect.get(globalThis, 'asked'));
      expect(asked).toMatchObject({
        hasParent: true,
        options: {
          properties: ['openFile', 'multiSelections'],
          filters: [{ extensions: expect.arrayContaining(['m4b', 'wma', 'amr']) }, { extensions: ['*'] }],
        },
      });
      const dropped = await page.evaluateHandle(
        (bytes) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([Uint8Array.from(bytes)], 'dropped.wav', { type: 'audio/wav' }));
          return transfer;
        },
        [...readFileSync(SAMPLE)],
      );
      for (const type of ['dragenter', 'dragover', 'drop'])
        await page.dispatchEvent('body', type, { dataTransfer: dropped });
      await form.getByText('dropped.wav').waitFor();
    }));

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
