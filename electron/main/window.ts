import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Theme } from './requests.ts';
import { type Area, fitWindow, MIN_SIZE, parseWindowState, type WindowState } from './window-state.ts';

/** Reads the place and size of the last window, fitted to the screens that there are now. */
export const readWindowState = async (file: string, screens: readonly Area[]): Promise<WindowState> => {
  // Absent before the first exit.
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return fitWindow(parseWindowState(text), screens);
};

/** The part of Electron's `BrowserWindow` that this module uses. */
type PlacedWindow = {
  getNormalBounds(): Area;
  isMaximized(): boolean;
  maximize(): void;
  on(event: 'close', listener: () => void): unknown;
};

/** Keeps the state of the window: its place and size when it closes, and the theme at once. */
export const keepWindowState = (file: string, first: WindowState) => {
  let state = first;
  const keep = (change: Partial<WindowState>) => {
    state = { ...state, ...change };
    try {
      writeFileSync(file, JSON.stringify(state));
    } catch {
      // A full disk must not keep the window open.
    }
  };
  return {
    state: (): WindowState => state,
    follow: (window: PlacedWindow): void => {
      window.on('close', () => keep({ ...window.getNormalBounds(), maximized: window.isMaximized() }));
    },
    setTheme: (theme: Theme): void => {
      if (theme !== state.theme) keep({ theme });
    },
  };
};

/** The ground of the window before there is a page, as `--ground` in the renderer's tokens.css. */
export const groundOf = (isDark: boolean): string => (isDark ? '#171614' : '#f7f5f1');

/** Electron's options for the window: its page is isolated from Node and runs in a sandbox. */
export const windowOptions = (
  { maximized: _maximized, theme: _theme, ...place }: WindowState,
  { preload, icon, isDark }: { preload: string; icon: string; isDark: boolean },
) => ({
  ...place,
  icon,
  minWidth: MIN_SIZE.width,
  minHeight: MIN_SIZE.height,
  title: 'Earshot',
  show: false,
  backgroundColor: groundOf(isDark),
  webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false },
});
