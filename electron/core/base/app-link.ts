/** Screens that a link may open. */
const SCREENS = new Set(['queue', 'files', 'models', 'api', 'settings']);

const TRANSCRIPT_ID = /^tr_[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * The window's address after the `#` for an `earshot://` link: `earshot://library`, `earshot://queue`,
 * `earshot://transcript/<id>?t=<seconds>`. Undefined for everything else: any web page can hold such a link, so none
 * does more than to show something.
 */
export const placeOfLink = (link: string): string | undefined => {
  if (!URL.canParse(link)) return undefined;
  const { protocol, host, pathname, searchParams, username, password, port } = new URL(link);
  if (protocol !== 'earshot:' || `${username}${password}${port}` !== '') return undefined;
  const path = pathname.replace(/^\/|\/$/g, '');
  if (host === 'library' && path === '') return '/';
  if (SCREENS.has(host) && path === '') return `/${host}`;
  if (host !== 'transcript' || !TRANSCRIPT_ID.test(path)) return undefined;
  const seconds = Number(searchParams.get('t') ?? Number.NaN);
  return `/transcript/${path}${Number.isFinite(seconds) && seconds >= 0 ? `?t=${seconds.toFixed(3)}` : ''}`;
};

/** The window's form for a new transcription of a stored file. */
export const newTranscriptionPlace = (key: string, name: string): string =>
  `/new?${new URLSearchParams({ stored: key, name })}`;

/** A one-time link to the window that leads to a place in it. */
export const linkTo = (loginUrl: string, place: string | undefined): string =>
  place === undefined ? loginUrl : `${loginUrl}&to=${encodeURIComponent(place)}`;
