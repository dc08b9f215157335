/** What the window may do beyond showing its own page. Everything not named here is refused. */

const originOf = (address: string): string | undefined => {
  try {
    return new URL(address).origin;
  } catch {
    // No address at all: nobody's origin.
    return undefined;
  }
};

/** The window stays on its own server; a link elsewhere goes to the browser, and only over the web. */
export const decideNavigation = (address: string, own: string): 'stay' | 'browser' | 'refuse' => {
  const origin = originOf(address);
  if (origin === own) return 'stay';
  return /^https?:\/\//i.test(address) && origin !== undefined ? 'browser' : 'refuse';
};

const ALLOWED = new Set(['media', 'notifications', 'clipboard-sanitized-write']);

/** Electron grants every permission unless told otherwise: ours are the microphone, messages and copying. */
export const decidePermission = (
  permission: string,
  requester: string,
  own: string,
  mediaTypes: readonly string[] = [],
): boolean => {
  if (originOf(requester) !== own || !ALLOWED.has(permission)) return false;
  return permission !== 'media' || mediaTypes.every((type) => type === 'audio');
};
