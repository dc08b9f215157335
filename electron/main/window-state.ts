/** Where the window was, kept between runs. */
export type WindowState = {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly maximized: boolean;
};

export type Area = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export const FIRST_STATE: WindowState = { width: 1280, height: 860, maximized: false };
export const LEAST = { width: 380, height: 480 } as const;

const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : undefined;

/** The kept state; the first one where there is none or it is damaged. */
export const parseWindowState = (text: string | undefined): WindowState => {
  if (text === undefined) return FIRST_STATE;
  try {
    const stored: unknown = JSON.parse(text);
    if (typeof stored !== 'object' || stored === null) return FIRST_STATE;
    const value: Partial<Record<keyof WindowState, unknown>> = stored;
    const [x, y] = [number(value.x), number(value.y)];
    return {
      ...(x === undefined || y === undefined ? {} : { x, y }),
      width: Math.max(LEAST.width, number(value.width) ?? FIRST_STATE.width),
      height: Math.max(LEAST.height, number(value.height) ?? FIRST_STATE.height),
      maximized: value.maximized === true,
    };
  } catch {
    // Cut off by a crash while it was written: the window opens as the first time.
    return FIRST_STATE;
  }
};

const VISIBLE = 80;

/** The state for the screens that are there now: a window whose screen was unplugged comes back into view. */
export const fitWindow = (state: WindowState, screens: readonly Area[]): WindowState => {
  const { x, y } = state;
  const most = screens.reduce(
    (size, screen) => ({
      width: Math.max(size.width, screen.width),
      height: Math.max(size.height, screen.height),
    }),
    { width: 0, height: 0 },
  );
  const width = most.width > 0 ? Math.min(state.width, most.width) : state.width;
  const height = most.height > 0 ? Math.min(state.height, most.height) : state.height;
  const seen =
    x !== undefined &&
    y !== undefined &&
    screens.some(
      (screen) =>
        x + width > screen.x + VISIBLE &&
        x < screen.x + screen.width - VISIBLE &&
        y >= screen.y &&
        y < screen.y + screen.height - VISIBLE,
    );
  return { ...(seen ? { x, y } : {}), width, height, maximized: state.maximized };
};
