import { z } from 'zod';
import { Theme } from './requests.ts';

/** The window's position and size, saved between runs. */
export type WindowState = {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly maximized: boolean;
  /** The theme that the page had, for the ground of the next window before there is a page. */
  readonly theme: Theme;
};

export type Area = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export const DEFAULT_STATE: WindowState = { width: 1280, height: 860, maximized: false, theme: 'system' };
export const MIN_SIZE = { width: 380, height: 480 } as const;

const Pixels = z.number().transform(Math.round);

/** What is damaged falls back, one value at a time. */
const StoredState = z.object({
  x: Pixels.optional().catch(undefined),
  y: Pixels.optional().catch(undefined),
  width: Pixels.catch(DEFAULT_STATE.width),
  height: Pixels.catch(DEFAULT_STATE.height),
  maximized: z.boolean().catch(false),
  theme: Theme.catch('system'),
});

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // A crash while writing can truncate the file.
    return undefined;
  }
};

/** Parses the saved state. Falls back to the default if there is none or it is damaged. */
export const parseWindowState = (text: string | undefined): WindowState => {
  const { data } = StoredState.safeParse(text === undefined ? undefined : parseJson(text));
  if (data === undefined) return DEFAULT_STATE;
  const { x, y, width, height, maximized, theme } = data;
  return {
    ...(x === undefined || y === undefined ? {} : { x, y }),
    width: Math.max(MIN_SIZE.width, width),
    height: Math.max(MIN_SIZE.height, height),
    maximized,
    theme,
  };
};

/** Pixels of the window that must be on a screen, so that the user can drag it back. */
const MIN_VISIBLE = 80;

/** Fits the state to the present screens: a window on an unplugged screen moves back into view. */
export const fitWindow = (state: WindowState, screens: readonly Area[]): WindowState => {
  const { x, y } = state;
  const largest = screens.reduce(
    (size, screen) => ({
      width: Math.max(size.width, screen.width),
      height: Math.max(size.height, screen.height),
    }),
    { width: 0, height: 0 },
  );
  const width = largest.width > 0 ? Math.min(state.width, largest.width) : state.width;
  const height = largest.height > 0 ? Math.min(state.height, largest.height) : state.height;
  const isVisible =
    x !== undefined &&
    y !== undefined &&
    screens.some(
      (screen) =>
        x + width > screen.x + MIN_VISIBLE &&
        x < screen.x + screen.width - MIN_VISIBLE &&
        y >= screen.y &&
        y < screen.y + screen.height - MIN_VISIBLE,
    );
  return { ...(isVisible ? { x, y } : {}), width, height, maximized: state.maximized, theme: state.theme };
};
