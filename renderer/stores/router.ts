import { createStore } from 'zustand/vanilla';

const SCREEN_NAMES = [
  'library',
  'queue',
  'files',
  'models',
  'api',
  'settings',
  'live',
  'transcript',
] as const;
export type ScreenName = (typeof SCREEN_NAMES)[number];
export const isScreenName = (name: string): name is ScreenName => SCREEN_NAMES.some((each) => each === name);

/** What a screen gets from its address, `#/<screen>/<param>?t=<at>`. */
export type ScreenProps = {
  /** Empty if the address has none. */
  readonly param: string;
  /** Seconds. */
  readonly at: number | undefined;
};

/** A place in the window: `#/<screen>/<param>?t=<at>`. */
export type Route = {
  readonly screen: ScreenName;
  /** What the screen shows: a transcript's id, a folder, a section of the settings; empty or absent for none. */
  readonly param?: string;
  /** Seconds into the recording. */
  readonly at?: number;
};

/** Parses a location hash; an unknown screen becomes the library. */
export const parseRoute = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [screen = '', param] = path.split('/');
  if (!isScreenName(screen)) return { screen: 'library' };
  const seconds = Number.parseFloat(new URLSearchParams(query).get('t') ?? '');
  return {
    screen,
    param: param === undefined ? undefined : decodeURIComponent(param),
    at: Number.isFinite(seconds) ? seconds : undefined,
  };
};

/** The `href` of a route. */
export const hrefOf = ({ screen, param = '', at }: Route): string => {
  const path = screen === 'library' ? '' : screen;
  return `#/${path}${param === '' ? '' : `/${encodeURIComponent(param)}`}${at === undefined ? '' : `?t=${at.toFixed(3)}`}`;
};

/** `#/new?stored=KEY&name=…` opens the New dialog with a stored file; undefined for every other address. */
export const storedInHash = (hash: string): { readonly key: string; readonly name: string } | undefined => {
  const [path, query = ''] = hash.split('?');
  if (path !== '#/new') return undefined;
  const values = new URLSearchParams(query);
  const key = values.get('stored');
  return key === null ? undefined : { key, name: values.get('name') ?? key };
};

/** Keeps the current route in the location hash, so that back, forward, reload and links work. */
export const createRouter = (target: Window) => {
  const read = () => parseRoute(target.location.hash);
  const store = createStore<Route>(read);
  target.addEventListener('hashchange', () => store.setState(read(), true));
  return {
    store,
    go: (route: Route) => {
      target.location.hash = hrefOf(route);
    },
  };
};
export type Router = ReturnType<typeof createRouter>;
