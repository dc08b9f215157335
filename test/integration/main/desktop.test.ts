import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { newTranscriptionPlace } from '../../../electron/core/base/app-link.ts';
import { layoutOf } from '../../../electron/core/base/layout.ts';
import { desktopConfig } from '../../../electron/main/config.ts';
import { menuTemplate } from '../../../electron/main/menu.ts';
import { filesIn, placesIn, wholePaths } from '../../../electron/main/open-files.ts';
import { decideNavigation, decidePermission } from '../../../electron/main/security.ts';
import { desktopTexts } from '../../../electron/main/texts/index.ts';
import { DEFAULT_STATE, fitWindow, MIN_SIZE, parseWindowState } from '../../../electron/main/window-state.ts';

const OWN = 'http://127.0.0.1:3277';

const ACTIONS = {
  show: () => {},
  openFiles: () => {},
  openDocumentation: () => {},
  showLogs: () => {},
  startsAtLogin: false,
  back: () => {},
  forward: () => {},
  showMenu: () => {},
  zoom: () => {},
  setStartsAtLogin: () => {},
};

/** Every label of a menu. An entry without a label would show its role's English default. */
const labelsIn = (items: MenuItemConstructorOptions[]): string[] =>
  items.flatMap((item) => {
    if (item.type === 'separator' || item.visible === false) return [];
    // The application menu takes the application's name.
    if (item.role !== 'appMenu') expect(item.label, item.role).toBeTypeOf('string');
    return [item.label ?? '', ...(Array.isArray(item.submenu) ? labelsIn(item.submenu) : [])].filter(Boolean);
  });

describe('permissions of the window', () => {
  it.each([
    [`${OWN}/#/models`, 'stay'],
    ['https://example.com/', 'browser'],
    ['http://127.0.0.1:3278/', 'browser'],
    ['http://127.0.0.1.evil.example:3277/', 'browser'],
    ['file:///etc/passwd', 'refuse'],
    ['javascript:alert(1)', 'refuse'],
    ['smb://server/share', 'refuse'],
    [`blob:${OWN}/7b0f7f0e`, 'refuse'],
    ['not an address', 'refuse'],
  ])('%s: %s', (address, decision) => {
    expect(decideNavigation(address, OWN)).toBe(decision);
  });

  it('allow microphone, notifications and clipboard for its own page only', () => {
    expect(decidePermission('media', `${OWN}/`, OWN, ['audio'])).toBe(true);
    expect(decidePermission('media', `${OWN}/`, OWN, ['audio', 'video'])).toBe(false);
    expect(decidePermission('notifications', `${OWN}/`, OWN)).toBe(true);
    expect(decidePermission('media', 'https://example.com/', OWN, ['audio'])).toBe(false);
    expect(decidePermission('geolocation', `${OWN}/`, OWN)).toBe(false);
    expect(decidePermission('media', '', OWN)).toBe(false);
  });
});

describe('the window state', () => {
  const screens = [{ x: 0, y: 0, width: 1920, height: 1080 }];

  it('is the default if none was saved or it is damaged', () => {
    for (const text of [undefined, '', '{', '[]', 'null', '{"width":"wide"}'])
      expect(parseWindowState(text)).toEqual(DEFAULT_STATE);
  });

  it('is restored, with a minimum size', () => {
    expect(parseWindowState('{"x":10,"y":20,"width":800,"height":600,"maximized":true}')).toEqual({
      x: 10,
      y: 20,
      width: 800,
      height: 600,
      maximized: true,
      theme: 'system',
    });
    expect(parseWindowState('{"width":1,"height":1}')).toMatchObject(MIN_SIZE);
  });

  it('moves back into view when its screen is unplugged', () => {
    const away = { ...DEFAULT_STATE, x: 3000, y: 100, width: 900, height: 700 };
    expect(fitWindow(away, screens)).toEqual({ ...DEFAULT_STATE, width: 900, height: 700 });
    expect(fitWindow({ ...away, x: 100 }, screens)).toMatchObject({ x: 100, y: 100 });
    expect(fitWindow({ ...away, width: 5000 }, screens)).toMatchObject({ width: 1920 });
  });
});

describe('arguments', () => {
  it.runIf(process.platform !== 'win32')('name files by their whole path, also as file: URLs', () => {
    const given = [
      '--x',
      'earshot://queue',
      'a.mp3',
      '/b/c.wav',
      'file:///b/d%20e.flac',
      'file://server/f.mp3',
    ];
    expect(wholePaths(given, '/home/maria')).toEqual([
      ...['--x', 'earshot://queue', '/home/maria/a.mp3', '/b/c.wav', '/b/d e.flac', 'file://server/f.mp3'],
    ]);
  });

  it('name files among flags and links', () => {
    expect(filesIn(['--inspect', '/a/B.MP3', '/a/notes.txt'])).toEqual(['/a/B.MP3', '/a/notes.txt']);
    const links = ['earshot://queue', 'earshot://settings/x.mp3', '/a/b.mp3', 'earshot://nowhere'];
    expect([placesIn(links), filesIn(links)]).toEqual([['/queue'], ['/a/b.mp3']]);
    expect(newTranscriptionPlace('/usr_1/a b.mp3', 'a b.mp3')).toBe(
      '/new?stored=%2Fusr_1%2Fa+b.mp3&name=a+b.mp3',
    );
  });
});

describe('the desktop program', () => {
  const config = (environment: NodeJS.ProcessEnv) =>
    desktopConfig({
      version: '1.0.0',
      layout: layoutOf({ form: 'bundled', program: '/app', files: '/unpacked' }),
      environment,
      platform: 'linux',
    });

  it('binds to this machine, on the next free port', () => {
    expect(config({ EARSHOT_DATA_DIR: '/data' })).toMatchObject({
      host: '127.0.0.1',
      whenTaken: 'next',
      dataDir: '/data',
      addonPath: '/unpacked/native/earshot_engine.node',
      resourcesDir: '/unpacked/resources',
      ffmpegDir: '/unpacked/resources/ffmpeg',
      rendererDir: '/app/out/renderer',
    });
    expect(config({ EARSHOT_ADDON: '/x.node' })).toMatchObject({ addonPath: '/x.node' });
  });

  it('has a menu with an entry per screen', () => {
    const shown: string[] = [];
    const actions = { ...ACTIONS, show: (hash: string) => shown.push(hash) };
    const english = desktopTexts(['en-GB']);
    for (const platform of ['linux', 'darwin'] as const) {
      const template = menuTemplate(platform, english, actions);
      expect(template.some((entry) => entry.role === 'appMenu')).toBe(platform === 'darwin');
      const view = template.find((entry) => entry.label === '&View')?.submenu;
      const screens = Array.isArray(view)
        ? view.filter(({ accelerator }) => /^CmdOrCtrl\+\d$/.test(accelerator ?? ''))
        : [];
      for (const { click } of screens) Reflect.apply(click ?? (() => {}), undefined, []);
      expect(shown.splice(0)).toEqual(['/', '/queue', '/files', '/models', '/api']);
    }
  });

  it.each(['linux', 'darwin'] as const)('has a fully translated menu in four languages, %s', (platform) => {
    const words = (languages: string[]) => labelsIn(menuTemplate(platform, desktopTexts(languages), ACTIONS));
    expect(words(['pt-BR', 'de-AT', 'en'])).toEqual(words(['de']));
    expect(words(['xx'])).toEqual(words(['en']));
    const english = words(['en']);
    for (const language of ['de', 'es', 'fr']) {
      const translated = words([language]);
      expect(translated).toHaveLength(english.length);
      const same = translated.filter((word, place) => word === english[place]);
      // The same word in two of the languages.
      expect(same.filter((word) => !['API', 'Zoom', 'Services'].includes(word))).toEqual([]);
    }
  });
});
