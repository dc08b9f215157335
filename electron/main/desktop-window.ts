import { join } from 'node:path';
import { app, BrowserWindow, Menu, nativeTheme, type Session, screen, session, shell } from 'electron';
import { contextMenuTemplate } from './context-menu.ts';
import { watchRenderer } from './crash.ts';
import type { Theme } from './requests.ts';
import { restrictNavigation, restrictPermissions } from './security.ts';
import type { DesktopTexts } from './texts/index.ts';
import { groundOf, keepWindowState, readWindowState, windowOptions } from './window.ts';

type Deps = {
  readonly texts: DesktopTexts;
  readonly preload: string;
  readonly icon: string;
  /** Where the window's place and size are kept. */
  readonly stateFile: string;
  /** The service's origin, once there is one. */
  readonly own: () => string | undefined;
  /** The window loads another page, or the same one again. */
  readonly onLeaving: () => void;
  readonly onCrash: (place: string | undefined) => void;
  /** The window is about to be closed; `destroy` does so without asking again. */
  readonly onClose: (event: { preventDefault(): void }, destroy: () => void) => void;
  /** The system ends the person's session. */
  readonly onSessionEnd: () => void;
};

const addContextMenu = ({ webContents }: BrowserWindow, texts: DesktopTexts): void => {
  webContents.on('context-menu', (_event, params) => {
    const template = contextMenuTemplate(params, texts, {
      playFrom: (point) => webContents.send('earshot:play-from', point),
      replaceMisspelling: (word) => webContents.replaceMisspelling(word),
      addToDictionary: (word) => webContents.session.addWordToSpellCheckerDictionary(word),
    });
    if (template.length > 0) Menu.buildFromTemplate(template).popup();
  });
};

/** Files that a page offers are saved where the person chooses, under a title that says what. */
const nameDownloads = (from: Session, texts: DesktopTexts): void => {
  from.on('will-download', (_event, item) => {
    const name = item.getFilename();
    item.setSaveDialogOptions({
      title: `${texts.saveAs} ${name}`,
      defaultPath: join(app.getPath('downloads'), name),
    });
  });
};

/** Returns what creates the program's window, restricted to its own pages, and gives native parts the theme of the page. */
export const createWindows = async (deps: Deps) => {
  const { texts, preload, icon, stateFile, own, onLeaving, onCrash, onClose, onSessionEnd } = deps;
  restrictPermissions(session.defaultSession, own);
  nameDownloads(session.defaultSession, texts);
  // Except on macOS, Chromium downloads dictionaries, past the connection log and offline mode.
  session.defaultSession.setSpellCheckerEnabled(process.platform === 'darwin');
  const screens = screen.getAllDisplays().map((display) => display.workArea);
  const kept = keepWindowState(stateFile, await readWindowState(stateFile, screens));
  nativeTheme.themeSource = kept.state().theme;
  nativeTheme.on('updated', () => {
    for (const window of BrowserWindow.getAllWindows())
      window.setBackgroundColor(groundOf(nativeTheme.shouldUseDarkColors));
  });
  const create = (): BrowserWindow => {
    const isDark = nativeTheme.shouldUseDarkColors;
    const window = new BrowserWindow(windowOptions(kept.state(), { preload, icon, isDark }));
    if (kept.state().maximized) window.maximize();
    kept.follow(window);
    restrictNavigation(window.webContents, own, (address) => void shell.openExternal(address));
    watchRenderer(window.webContents, onCrash);
    window.webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) onLeaving();
    });
    addContextMenu(window, texts);
    window.on('close', (event) => onClose(event, () => window.destroy()));
    window.on('session-end', onSessionEnd);
    return window;
  };
  return {
    create,
    setTheme: (theme: Theme): void => {
      nativeTheme.themeSource = theme;
      kept.setTheme(theme);
    },
  };
};
