import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContextParams, contextMenuTemplate } from '../../../electron/main/context-menu.ts';
import { createLoginItem } from '../../../electron/main/login-item.ts';
import { quitGracefully, type Work } from '../../../electron/main/quit.ts';
import { desktopTexts } from '../../../electron/main/texts/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const texts = desktopTexts(['en']);

describe('the words of the desktop', () => {
  it('are translated completely', () => {
    // Every text, those with numbers or names filled in.
    const words = (language: string): Map<string, string> =>
      new Map(
        Object.entries(desktopTexts([language])).map(([key, text]) => [
          key,
          typeof text === 'string' ? text : Reflect.apply(text, undefined, [2, 50]),
        ]),
      );
    const english = words('xx');
    for (const language of ['de-AT', 'es', 'fr-CA']) {
      const same = [...words(language)].filter(([key, text]) => text === english.get(key));
      // The same word in two of the languages.
      expect(same.map(([key]) => key).filter((key) => !['zoom', 'services', 'ok'].includes(key))).toEqual([]);
    }
  });
});

const PLACE: ContextParams = {
  x: 10,
  y: 20,
  pageURL: 'http://own/#/transcript/tr_1',
  linkURL: '',
  isEditable: false,
  selectionText: '',
  misspelledWord: '',
  dictionarySuggestions: [],
  editFlags: { canCut: true, canCopy: true, canPaste: false },
};

describe('the context menu', () => {
  const done: unknown[] = [];
  const actions = {
    playFrom: (point: object) => done.push(point),
    replaceMisspelling: (word: string) => done.push(word),
    addToDictionary: (word: string) => done.push(`+${word}`),
  };
  const menu = (params: Partial<ContextParams>) =>
    contextMenuTemplate({ ...PLACE, ...params }, texts, actions);
  const labels = (params: Partial<ContextParams>) => menu(params).map(({ label, type }) => label ?? type);

  it('plays a transcript from the word that was clicked', () => {
    const [play] = menu({ selectionText: 'words' });
    expect(labels({ selectionText: 'words' })).toEqual(['Play from This Word', 'separator', 'Copy']);
    // Electron passes the item and more, which this one does not look at.
    Reflect.apply(play?.click ?? (() => {}), undefined, []);
    expect(done.splice(0)).toEqual([{ x: 10, y: 20 }]);
    expect(labels({ pageURL: 'http://own/#/' })).toEqual([]);
  });

  it('edits and corrects where text can be typed', () => {
    const params = { isEditable: true, misspelledWord: 'teh', dictionarySuggestions: ['the', 'ten'] };
    expect(labels(params)).toEqual([
      ...['the', 'ten', 'Add to Dictionary', 'separator'],
      ...['Cut', 'Copy', 'Paste', 'Select All'],
    ]);
    const items = menu(params);
    expect(items.find(({ role }) => role === 'paste')?.enabled).toBe(false);
    for (const item of items.slice(1, 3)) Reflect.apply(item.click ?? (() => {}), undefined, []);
    expect(done.splice(0)).toEqual(['ten', '+teh']);
  });
});

describe('start at login', () => {
  let settings = { openAtLogin: false, args: [''] };
  const app = {
    getLoginItemSettings: () => settings,
    setLoginItemSettings: (changed: typeof settings) => {
      settings = changed;
    },
  };

  it('is off, and a file in the autostart folder on Linux', () => {
    const home = temporaryFolder();
    const item = createLoginItem({
      app,
      platform: 'linux',
      environment: {},
      home,
      program: '/opt/Ear "$hot"/earshot',
    });
    const file = join(home, '.config', 'autostart', 'app.earshot.desktop.desktop');
    expect(item.isOn()).toBe(false);
    item.set(true);
    expect(item.isOn()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Ear \\\\"\\\\$hot\\\\"/earshot" --background\n');
    item.set(false);
    item.set(false);
    expect([item.isOn(), existsSync(file)]).toEqual([false, false]);
  });

  it('is the system’s setting elsewhere', () => {
    const item = createLoginItem({ app, platform: 'darwin', environment: {}, home: '/', program: '/e' });
    expect(item.isOn()).toBe(false);
    item.set(true);
    expect(item.isOn()).toBe(true);
    expect(settings.args).toEqual(['--background']);
  });
});

/** A program that is asked to quit. */
const createQuit = (work: Work, answers: number[], endsWithWindow = true) => {
  const happened: string[] = [];
  let before: (event: { preventDefault(): void }) => void = () => {};
  const app = {
    on: (_event: 'before-quit', listener: typeof before) => {
      before = listener;
    },
    quit: () => {
      let isPrevented = false;
      before({ preventDefault: () => (isPrevented = true) });
      if (!isPrevented) happened.push('ended');
    },
  };
  const quit = quitGracefully({
    app,
    ask: async ({ message, buttons }) => {
      happened.push(`${message} ${buttons.join(' / ')}`);
      return { response: answers.shift() ?? 0 };
    },
    front: () => void happened.push('front'),
    texts,
    work: () => work,
    endsWithWindow,
    saveRecording: async () => void (work.isRecording && happened.push('saved')),
    close: async () => void happened.push('closed'),
  });
  const closeWindow = () => {
    let isPrevented = false;
    const event = { preventDefault: () => (isPrevented = true) };
    void quit.onWindowClose(event, () => happened.push('window closed'));
    if (!isPrevented) happened.push('window closed');
  };
  return { app, quit, closeWindow, happened };
};

/** Lets promises that are settled run their listeners. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const QUESTION = '2 transcriptions are running. Quit Earshot / Keep Running';
const RECORDING = 'A recording is in progress. Quit Earshot / Keep Recording';
const NOTHING = { jobs: 0, isRecording: false, isUploading: false };
const JOBS = { ...NOTHING, jobs: 2 };

describe('quitting', () => {
  it('closes the service first, without a question while nothing runs', async () => {
    const { app, happened } = createQuit(NOTHING, []);
    app.quit();
    app.quit();
    await settle();
    expect(happened).toEqual(['closed', 'ended']);
  });

  it('asks once while jobs run, brings the question back to the front, and can be taken back', async () => {
    const { app, happened } = createQuit(JOBS, [1, 0]);
    app.quit();
    app.quit();
    await settle();
    expect(happened.splice(0)).toEqual(['front', QUESTION, 'front']);
    app.quit();
    await settle();
    expect(happened).toEqual(['front', QUESTION, 'closed', 'ended']);
  });

  it('asks about a recording and jobs in one question, and stores the recording before the service closes', async () => {
    const { app, happened } = createQuit({ ...NOTHING, jobs: 1, isRecording: true }, [0]);
    app.quit();
    await settle();
    const question = 'A recording and a transcription are in progress. Quit Earshot / Keep Recording';
    expect(happened).toEqual(['front', question, 'saved', 'closed', 'ended']);
  });

  it('asks before the window closes in a recording, which keeps it open', async () => {
    const { closeWindow, happened } = createQuit({ ...NOTHING, isRecording: true }, [1, 0]);
    closeWindow();
    await settle();
    expect(happened.splice(0)).toEqual(['front', RECORDING]);
    closeWindow();
    await settle();
    expect(happened).toEqual(['front', RECORDING, 'saved', 'closed', 'ended']);
  });

  it.each([true, false])(
    'asks before an upload ends with the window, also where the program goes on',
    async (ends) => {
      const { closeWindow, happened } = createQuit({ ...NOTHING, isUploading: true }, [1, 0], ends);
      closeWindow();
      await settle();
      const question = `Files are being uploaded. ${ends ? 'Quit Earshot' : 'Close Window'} / Keep Uploading`;
      expect(happened.splice(0)).toEqual(['front', question]);
      closeWindow();
      await settle();
      expect(happened).toEqual(['front', question, ...(ends ? ['closed', 'ended'] : ['window closed'])]);
    },
  );

  it('closes the window alone where jobs are to go on, and where nothing would be interrupted', async () => {
    const jobs = createQuit(JOBS, [1]);
    jobs.closeWindow();
    await settle();
    expect(jobs.happened).toEqual(['front', QUESTION, 'window closed']);
    const onMac = createQuit(JOBS, [], false);
    onMac.closeWindow();
    const idle = createQuit(NOTHING, []);
    idle.closeWindow();
    expect([onMac.happened, idle.happened]).toEqual([['window closed'], ['window closed']]);
  });

  it('asks nothing when the system ends the program', async () => {
    const { quit, happened } = createQuit({ ...JOBS, isRecording: true, isUploading: true }, []);
    quit.now();
    await settle();
    expect(happened).toEqual(['saved', 'closed', 'ended']);
  });
});
