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

/** Where the window is loaded from once the service runs. */
export type ServiceAddress = {
  readonly origin: string;
  /** A one-time link that signs the window in, and leads to a place in it. */
  readonly link: (place: string | undefined) => string;
};

/**
 * The program's one window. It shows a page of the program until there is a service, and is created again when it is
 * needed after it was closed.
 */
export const createWindowHolder = <W extends HeldWindow>(create: () => W, firstPage: string) => {
  let window: W | undefined;
  let page: string | undefined = firstPage;
  let service: ServiceAddress | undefined;
  /** Where to go once the window is signed in. */
  let place: string | undefined;

  const load = (url: string): void => {
    // A load that another one replaces is no failure; one that fails leaves Chromium's own page, which says so.
    window?.loadURL(url).catch(() => undefined);
  };
  const loadContent = (): void => {
    if (page !== undefined) load(page);
    else if (service !== undefined) load(service.link(place));
    if (page === undefined) place = undefined;
  };
  const ensure = (): W => {
    if (window !== undefined && !window.isDestroyed()) return window;
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
  return {
    /** Brings the window forward. */
    front,
    /** The window, if there is one. */
    current: (): W | undefined => (window?.isDestroyed() === false ? window : undefined),
    /** Whether a page is the one that the program shows now. */
    isOwnPage: (url: string): boolean => page !== undefined && url === page,
    /** Replaces the content by a page of the program, until the service's window returns to a place. A window that is closed stays closed. */
    showPage: (url: string, returnTo?: string): void => {
      page = url;
      place = returnTo ?? place;
      load(url);
    },
    /** Replaces a page of the program by the service's window. */
    showService: (address?: ServiceAddress): void => {
      service = address ?? service;
      page = undefined;
      if (window?.isDestroyed() === false) loadContent();
    },
    /** Brings the window forward at a place in it, its address after the `#`. */
    show: (hash: string): void => {
      if (page !== undefined || window === undefined || window.isDestroyed()) place = hash;
      else if (service !== undefined) load(`${service.origin}/#${hash}`);
      front();
    },
  };
};
export type WindowHolder<W extends HeldWindow> = ReturnType<typeof createWindowHolder<W>>;
