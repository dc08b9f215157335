/** The part of Electron's `BrowserWindow` that the holder uses. */
export type HeldWindow = {
  loadURL(url: string): Promise<void>;
  isDestroyed(): boolean;
  isMinimized(): boolean;
  isFocused(): boolean;
  restore(): void;
  show(): void;
  focus(): void;
};

type Deps<W> = {
  readonly create: () => W;
  /** Shown until there is a service. */
  readonly firstPage: string;
  /** Tells a window that is signed in to go to a place, its address after the `#`. */
  readonly goTo: (window: W, place: string) => void;
};

/**
 * The program's one window. It shows a page of the program until there is a service, and is created again when it is
 * needed after it was closed. Places that are to be shown wait until the window is signed in: an address that is loaded
 * meanwhile would replace the one before.
 */
export const createWindowHolder = <W extends HeldWindow>({ create, firstPage, goTo }: Deps<W>) => {
  let window: W | undefined;
  let page: string | undefined = firstPage;
  let origin: string | undefined;
  let isSignedIn = false;
  const waiting: string[] = [];

  const load = (url: string): void => {
    isSignedIn = false;
    // A load that another one replaces is no failure; one that fails leaves Chromium's own page, which says so.
    window?.loadURL(url).catch(() => undefined);
  };
  const loadContent = (): void => {
    if (page !== undefined) load(page);
    else if (origin !== undefined) load(`${origin}/`);
  };
  const current = (): W | undefined => (window?.isDestroyed() === false ? window : undefined);
  const ensure = (): W => {
    const existing = current();
    if (existing !== undefined) return existing;
    window = create();
    loadContent();
    return window;
  };
  const front = (): W => {
    const shown = ensure();
    if (shown.isMinimized()) shown.restore();
    shown.show();
    shown.focus();
    return shown;
  };
  const goToWaiting = (): void => {
    const shown = current();
    if (!isSignedIn || shown === undefined) return;
    for (const place of waiting.splice(0)) goTo(shown, place);
  };
  return {
    /** Brings the window forward. */
    front,
    /** The window, if there is one. */
    current,
    /** Whether a page is the one that the program shows now. */
    isOwnPage: (url: string): boolean => page !== undefined && url === page,
    /** Replaces the content by a page of the program, until the service's window returns to a place. A window that is closed stays closed. */
    showPage: (url: string, returnTo?: string): void => {
      page = url;
      if (returnTo !== undefined) waiting.unshift(returnTo);
      load(url);
    },
    /** Replaces a page of the program by the service's window, which `origin` serves. */
    showService: (address?: string): void => {
      origin = address ?? origin;
      page = undefined;
      if (current() !== undefined) loadContent();
    },
    /** The window loads another page, or the same one again. */
    leaving: (): void => {
      isSignedIn = false;
    },
    /** The window's page listens: it is signed in. */
    signedIn: (): void => {
      isSignedIn = true;
      goToWaiting();
    },
    /** Brings the window forward at a place in it, its address after the `#`. */
    show: (place: string): void => {
      waiting.push(place);
      front();
      goToWaiting();
    },
  };
};
export type WindowHolder<W extends HeldWindow> = ReturnType<typeof createWindowHolder<W>>;
