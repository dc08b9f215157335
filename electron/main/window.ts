import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

/** Saves the place and size of a window when it closes. */
export const keepWindowState = (
  window: PlacedWindow,
  file: string,
  onState: (state: WindowState) => void,
) => {
  window.on('close', () => {
    const state = { ...window.getNormalBounds(), maximized: window.isMaximized() };
    onState(state);
    try {
      writeFileSync(file, JSON.stringify(state));
    } catch {
      // A full disk must not keep the window open.
    }
  });
};

/** Electron's options for the window: its page is isolated from Node and runs in a sandbox. */
export const windowOptions = ({ maximized: _maximized, ...place }: WindowState, preload: string) => ({
  ...place,
  minWidth: MIN_SIZE.width,
  minHeight: MIN_SIZE.height,
  title: 'Earshot',
  show: false,
  backgroundColor: '#f7f5f1',
  webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false },
});
