import { BrowserWindow, Menu, screen, session, shell } from 'electron';
import { contextMenuTemplate } from './context-menu.ts';
import { watchRenderer } from './crash.ts';
import { restrictNavigation, restrictPermissions } from './security.ts';
import type { DesktopTexts } from './texts/index.ts';
import { keepWindowState, readWindowState, windowOptions } from './window.ts';

type Deps = {
  readonly texts: DesktopTexts;
  readonly preload: string;
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

/** Returns the function that creates the program's window, restricted to its own pages. */
export const createWindows = async ({
  texts,
  preload,
  stateFile,
  own,
  onLeaving,
  onCrash,
  onClose,
  onSessionEnd,
}: Deps): Promise<() => BrowserWindow> => {
  restrictPermissions(session.defaultSession, own);
  // Except on macOS, Chromium downloads dictionaries, past the connection log and offline mode.
  session.defaultSession.setSpellCheckerEnabled(process.platform === 'darwin');
  const screens = screen.getAllDisplays().map((display) => display.workArea);
  let state = await readWindowState(stateFile, screens);
  return () => {
    const window = new BrowserWindow(windowOptions(state, preload));
    if (state.maximized) window.maximize();
    keepWindowState(window, stateFile, (latest) => {
      state = latest;
    });
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
};
