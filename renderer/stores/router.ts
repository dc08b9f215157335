import { createStore } from 'zustand/vanilla';

export type Route =
  | { readonly screen: 'library' }
  | { readonly screen: 'transcript'; readonly id: string; readonly at: number | undefined }
  | { readonly screen: 'files'; readonly folder: string }
  | { readonly screen: 'models' }
  | { readonly screen: 'api' }
  | { readonly screen: 'settings'; readonly section: string }
  | { readonly screen: 'queue' }
  | { readonly screen: 'design' };

const segment = (text: string | undefined) => (text === undefined ? '' : decodeURIComponent(text));

/** `#/transcript/tr_…?t=12.5` → a route; anything unknown is the library. */
export const parseRoute = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [screen, first] = path.split('/');
  const seconds = Number.parseFloat(new URLSearchParams(query).get('t') ?? '');
  switch (screen) {
    case 'transcript':
      return {
        screen: 'transcript',
        id: segment(first),
        at: Number.isFinite(seconds) ? seconds : undefined,
      };
    case 'files':
      return { screen: 'files', folder: segment(first) };
    case 'settings':
      return { screen: 'settings', section: segment(first) };
    case 'models':
    case 'api':
    case 'queue':
    case 'design':
      return { screen };
    default:
      return { screen: 'library' };
  }
};

/** The address of a route, as a link's `href`. */
export const hrefOf = (route: Route): string => {
  switch (route.screen) {
    case 'library':
      return '#/';
    case 'transcript': {
      const at = route.at === undefined ? '' : `?t=${route.at.toFixed(2)}`;
      return `#/transcript/${encodeURIComponent(route.id)}${at}`;
    }
    case 'files':
      return route.folder === '' ? '#/files' : `#/files/${encodeURIComponent(route.folder)}`;
    case 'settings':
      return route.section === '' ? '#/settings' : `#/settings/${encodeURIComponent(route.section)}`;
    default:
      return `#/${route.screen}`;
  }
};

/** `#/new?stored=KEY&name=…`: a stored file that waits to be transcribed; undefined for every other address. */
export const storedInHash = (hash: string): { readonly key: string; readonly name: string } | undefined => {
  const [path, query = ''] = hash.split('?');
  if (path !== '#/new') return undefined;
  const values = new URLSearchParams(query);
  const key = values.get('stored');
  return key === null ? undefined : { key, name: values.get('name') ?? key };
};

/** Where the window is, kept in the address's hash so that back, forward, reload and links work. */
export const createRouter = (target: Window) => {
  const store = createStore<Route>(() => parseRoute(target.location.hash));
  target.addEventListener('hashchange', () => store.setState(parseRoute(target.location.hash), true));
  return {
    store,
    go: (route: Route) => {
      target.location.hash = hrefOf(route);
    },
  };
};
export type Router = ReturnType<typeof createRouter>;
