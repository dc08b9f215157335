/** An address's origin; undefined for what is no absolute URL. */
export const originOf = (address: string): string | undefined => {
  try {
    return new URL(address).origin;
  } catch {
    // Not an absolute URL.
    return undefined;
  }
};

/** The window stays on its own server. Other http(s) links open in the browser; everything else is refused. */
export const decideNavigation = (address: string, own: string | undefined): 'stay' | 'browser' | 'refuse' => {
  const origin = originOf(address);
  // A `blob:` address has the origin of the page that made it, and means nothing outside of it.
  if (origin === undefined || !/^https?:\/\//i.test(address)) return 'refuse';
  return origin === own ? 'stay' : 'browser';
};

const ALLOWED_PERMISSIONS = new Set(['media', 'notifications', 'clipboard-sanitized-write']);

/** Electron grants every permission by default. The window needs the microphone, notifications and the clipboard. */
export const decidePermission = (
  permission: string,
  requester: string,
  own: string | undefined,
  mediaTypes: readonly string[] = [],
): boolean => {
  if (own === undefined || originOf(requester) !== own || !ALLOWED_PERMISSIONS.has(permission)) return false;
  return permission !== 'media' || mediaTypes.every((type) => type === 'audio');
};

/** The part of Electron's `Session` that this module uses. */
type SessionPart = {
  setPermissionRequestHandler(
    handler: (
      contents: unknown,
      permission: string,
      answer: (isAllowed: boolean) => void,
      details: { readonly requestingUrl: string; readonly mediaTypes?: readonly string[] },
    ) => void,
  ): void;
  setPermissionCheckHandler(
    handler: (contents: unknown, permission: string, origin: string) => boolean,
  ): void;
};

/** Answers every question for a permission by `decidePermission`; `own` is the service's origin, once there is one. */
export const restrictPermissions = (session: SessionPart, own: () => string | undefined): void => {
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl, mediaTypes }) =>
    answer(decidePermission(permission, requestingUrl, own(), mediaTypes)),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) =>
    decidePermission(permission, origin, own()),
  );
};

type Navigation = { readonly url: string; readonly isMainFrame: boolean; preventDefault(): void };

/** The part of Electron's `WebContents` that this module uses. */
type ContentsPart = {
  on(event: 'will-frame-navigate', listener: (event: Navigation) => void): unknown;
  on(event: 'will-redirect', listener: (event: Navigation) => void): unknown;
  setWindowOpenHandler(handler: (details: { readonly url: string }) => { action: 'deny' }): void;
};

/** Keeps a window and its frames on its own pages by `decideNavigation`; it opens no second one. */
export const restrictNavigation = (
  contents: ContentsPart,
  own: () => string | undefined,
  openInBrowser: (address: string) => void,
): void => {
  const restrict = (event: Navigation) => {
    const decision = decideNavigation(event.url, own());
    if (decision !== 'stay') event.preventDefault();
    // A frame opens nothing in the browser, since it may do so without a click.
    if (decision === 'browser' && event.isMainFrame) openInBrowser(event.url);
  };
  contents.on('will-frame-navigate', restrict);
  contents.on('will-redirect', restrict);
  contents.setWindowOpenHandler(({ url }) => {
    // The program's other pages, such as the documentation, open in the browser, too.
    if (decideNavigation(url, own()) !== 'refuse') openInBrowser(url);
    return { action: 'deny' };
  });
};
