import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchRenderer, watchService } from '../../../electron/main/crash.ts';
import { createInbox } from '../../../electron/main/inbox.ts';
import { crashedPage, failedPage, startingPage, stoppedPage } from '../../../electron/main/pages.ts';
import { answerRequests } from '../../../electron/main/requests.ts';
import { restrictNavigation, restrictPermissions } from '../../../electron/main/security.ts';
import { desktopTexts } from '../../../electron/main/texts/index.ts';
import { keepWindowState, readWindowState } from '../../../electron/main/window.ts';
import { createWindowHolder } from '../../../electron/main/window-holder.ts';
import { DEFAULT_STATE } from '../../../electron/main/window-state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const texts = desktopTexts(['en']);
const htmlOf = (url: string): string => Buffer.from(url.split(',')[1] ?? '', 'base64').toString();

describe('pages of the program', () => {
  it('say what happened, with buttons, in the system’s language', () => {
    const html = htmlOf(failedPage(texts, 'The folder <x> & "y" cannot be written.'));
    expect(html).toContain('Earshot couldn’t start');
    expect(html).toContain('&lt;x&gt; &amp; &quot;y&quot;');
    expect(html).toContain('data-action="restart"');
    expect(htmlOf(startingPage(desktopTexts(['de-CH'])))).toMatch(/lang="de"[\s\S]+wird gestartet/);
    expect(htmlOf(startingPage(texts))).not.toContain('<button');
    expect(htmlOf(crashedPage(texts))).toContain('data-action="reopen"');
    expect(htmlOf(stoppedPage(texts))).toContain('data-action="logs"');
    expect(html).toMatch(/default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-/);
  });
});

describe('requests of pages', () => {
  const done: string[] = [];
  type Frame = { url: string; parent: unknown } | null;
  type Listener = (event: { senderFrame: Frame }, ...args: unknown[]) => unknown;
  const channels = new Map<string, Listener>();
  const note = (what: string) => () => void done.push(what);
  const keep = (channel: string, listener: Listener) => void channels.set(channel, listener);
  answerRequests(
    { on: keep, handle: keep },
    {
      isOwnPage: (url) => url === 'data:own',
      isService: (url) => url.startsWith('http://own/'),
      page: { restart: note('restart'), reopen: note('reopen'), logs: note('logs') },
      window: {
        token: () => 'secret',
        signedIn: note('signed in'),
        setRecording: (isOn) => done.push(`recording ${isOn}`),
        setUploading: (isOn) => done.push(`uploading ${isOn}`),
        recordingSaved: note('saved'),
        setTheme: note('theme'),
        setOnTop: (isOn) => done.push(`on top ${isOn}`),
      },
    },
  );
  const send = (channel: string, senderFrame: Frame, ...args: unknown[]) =>
    channels.get(`earshot:${channel}`)?.({ senderFrame }, ...args);
  const own = { url: 'data:own', parent: null };
  const service = { url: 'http://own/#/queue', parent: null };

  it('are answered for the program’s own page and the service’s window, each with its own', () => {
    send('ask', own, 'restart');
    send('signed-in', service);
    send('recording', service, true);
    send('uploading', service, true);
    send('recording-saved', service);
    send('on-top', service, true);
    expect(done.splice(0)).toEqual([
      'restart',
      'signed in',
      'recording true',
      'uploading true',
      'saved',
      'on top true',
    ]);
    send('recording', service, 'on');
    send('uploading', own, true);
    expect(done).toEqual([]);
    expect(send('token', service)).toBe('secret');
  });

  it.each([
    ['another page', { ...own, url: 'http://127.0.0.1:3277/' }, ['restart']],
    ['a frame in the page', { ...own, parent: own }, ['restart']],
    ['a frame that is gone', null, ['restart']],
    ['an unknown action', own, ['format the disk']],
    ['an object', own, [{ action: 'restart' }]],
    ['one argument more', own, ['restart', 'now']],
    ['none', own, []],
  ])('are dropped: %s', (_what, frame, args) => {
    send('ask', frame, ...args);
    send('signed-in', frame);
    expect(done).toEqual([]);
    expect(send('token', frame)).toBeUndefined();
  });
});

/** A window that notes what it shows. */
const createFake = () => {
  const loaded: string[] = [];
  const windows: { isDestroyed: boolean }[] = [];
  const create = () => {
    const state = { isDestroyed: false, isMinimized: true };
    windows.push(state);
    return {
      loadURL: async (url: string) => void loaded.push(url),
      isDestroyed: () => state.isDestroyed,
      isMinimized: () => state.isMinimized,
      isFocused: () => false,
      restore: () => {
        state.isMinimized = false;
      },
      show: () => {},
      focus: () => {},
    };
  };
  return { loaded, windows, create };
};

const SERVICE = 'http://own';

describe('the window', () => {
  const holderOf = () => {
    const fake = createFake();
    const places: string[] = [];
    const goTo = (_window: unknown, place: string) => places.push(place);
    return { ...fake, places, holder: createWindowHolder({ ...fake, firstPage: 'data:starting', goTo }) };
  };

  it('shows a starting page at once, then the service; places wait until it is signed in', () => {
    const { loaded, places, holder } = holderOf();
    holder.front();
    holder.show('/queue');
    holder.showService(SERVICE);
    holder.show('/models');
    expect([loaded, places]).toEqual([['data:starting', 'http://own/'], []]);
    holder.signedIn();
    holder.show('/files');
    holder.leaving();
    holder.show('/api');
    expect(places).toEqual(['/queue', '/models', '/files']);
    holder.signedIn();
    expect(places.slice(3)).toEqual(['/api']);
    expect(loaded).toHaveLength(2);
  });

  it('is not created before it is needed, and again after it was closed', () => {
    const { loaded, places, windows, holder } = holderOf();
    holder.showService(SERVICE);
    expect([loaded, holder.current()]).toEqual([[], undefined]);
    holder.front();
    holder.signedIn();
    for (const window of windows) window.isDestroyed = true;
    expect(holder.current()).toBeUndefined();
    holder.show('/transcript/1');
    expect([loaded, places]).toEqual([['http://own/', 'http://own/'], []]);
    holder.signedIn();
    expect(places).toEqual(['/transcript/1']);
  });

  it('returns from a crash to where it was', () => {
    const { loaded, places, holder } = holderOf();
    holder.front();
    holder.showService(SERVICE);
    holder.signedIn();
    expect(holder.isOwnPage('data:starting')).toBe(false);
    holder.showPage('data:crashed', '/transcript/1');
    expect(holder.isOwnPage('data:crashed')).toBe(true);
    holder.showService();
    expect(loaded.slice(2)).toEqual(['data:crashed', 'http://own/']);
    holder.signedIn();
    expect(places).toEqual(['/transcript/1']);
  });

  it('keeps its place and size, and goes back to a screen that is there', async () => {
    const file = join(temporaryFolder(), 'window.json');
    let close = () => {};
    const kept = keepWindowState(file, DEFAULT_STATE);
    kept.setTheme('dark');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ theme: 'dark' });
    kept.follow({
      getNormalBounds: () => ({ x: 1700, y: 20, width: 800, height: 600 }),
      isMaximized: () => false,
      maximize: () => {},
      on: (_event, listener) => {
        close = listener;
      },
    });
    close();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ x: 1700, width: 800 });
    const wide = [
      { x: 0, y: 0, width: 1600, height: 900 },
      { x: 1600, y: 0, width: 1600, height: 900 },
    ];
    expect(await readWindowState(file, wide)).toMatchObject({ x: 1700, y: 20 });
    expect(await readWindowState(file, wide.slice(0, 1))).not.toHaveProperty('x');
    writeFileSync(file, '{"x":');
    expect(await readWindowState(file, wide)).toMatchObject({ width: 1280 });
  });
});

describe('crashes', () => {
  it('of the window keep its place; the end of a process that was asked for is none', () => {
    const places: (string | undefined)[] = [];
    let gone: (event: unknown, details: { reason: string }) => void = () => {};
    watchRenderer(
      {
        getURL: () => 'http://own/#/transcript/1?t=2',
        on: (_event, listener) => {
          gone = listener;
        },
      },
      (place) => places.push(place),
    );
    gone({}, { reason: 'clean-exit' });
    gone({}, { reason: 'oom' });
    expect(places).toEqual(['/transcript/1?t=2']);
  });

  it('of the service are told once', () => {
    const errors: string[] = [];
    let fail: (error: Error) => void = () => {};
    watchService(
      {
        on: (_event, listener) => {
          fail = listener;
        },
      },
      ({ message }) => errors.push(message),
    );
    fail(new Error('first'));
    fail(new Error('second'));
    expect(errors).toEqual(['first']);
  });
});

describe('what the program is to open', () => {
  it('waits until it can', () => {
    const opened: (readonly string[])[] = [];
    const inbox = createInbox();
    inbox.put(['a.mp3']);
    inbox.openWith((args) => opened.push(args));
    inbox.put(['earshot://queue']);
    expect(opened).toEqual([['a.mp3'], ['earshot://queue']]);
  });
});

describe('restrictions', () => {
  it('hold before there is a service', () => {
    let decide: (contents: unknown, permission: string, origin: string) => boolean = () => true;
    let own: string | undefined;
    restrictPermissions(
      {
        setPermissionRequestHandler: () => {},
        setPermissionCheckHandler: (handler) => {
          decide = handler;
        },
      },
      () => own,
    );
    expect(decide({}, 'media', '')).toBe(false);
    own = 'http://own';
    expect([decide({}, 'media', 'http://own/'), decide({}, 'geolocation', 'http://own/')]).toEqual([
      true,
      false,
    ]);
  });

  it('keep the window on its pages, and open others in the browser', () => {
    const browser: string[] = [];
    const stayed: string[] = [];
    type Navigation = { url: string; isMainFrame: boolean; preventDefault(): void };
    const listeners: Record<string, (event: Navigation) => void> = {};
    let open: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
    restrictNavigation(
      {
        on: (event: string, listener: (event: Navigation) => void) => {
          listeners[event] = listener;
        },
        setWindowOpenHandler: (handler) => {
          open = handler;
        },
      },
      () => 'http://own',
      (address) => browser.push(address),
    );
    for (const event of ['will-frame-navigate', 'will-redirect'])
      for (const isMainFrame of [true, false])
        for (const url of ['http://own/#/queue', 'https://example.com/', 'data:text/html,x', 'file:///']) {
          let isPrevented = false;
          listeners[event]?.({ url, isMainFrame, preventDefault: () => (isPrevented = true) });
          if (!isPrevented) stayed.push(url);
        }
    expect(stayed).toEqual(new Array(4).fill('http://own/#/queue'));
    // Frames do not reach the browser.
    expect(browser).toEqual(['https://example.com/', 'https://example.com/']);
    expect(open({ url: 'http://own/docs' })).toEqual({ action: 'deny' });
    expect(browser.at(-1)).toBe('http://own/docs');
  });
});
