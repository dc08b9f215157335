const originOf = (address: string): string | undefined => {
  try {
    return new URL(address).origin;
  } catch {
    // Not an absolute URL.
    return undefined;
  }
};

/** The window stays on its own server. Other http(s) links open in the browser; everything else is refused. */
export const decideNavigation = (address: string, own: string): 'stay' | 'browser' | 'refuse' => {
  const origin = originOf(address);
  if (origin === own) return 'stay';
  return /^https?:\/\//i.test(address) && origin !== undefined ? 'browser' : 'refuse';
};

const ALLOWED_PERMISSIONS = new Set(['media', 'notifications', 'clipboard-sanitized-write']);

/** Electron grants every permission by default. The window needs the microphone, notifications and the clipboard. */
export const decidePermission = (
  permission: string,
  requester: string,
  own: string,
  mediaTypes: readonly string[] = [],
): boolean => {
  if (originOf(requester) !== own || !ALLOWED_PERMISSIONS.has(permission)) return false;
  return permission !== 'media' || mediaTypes.every((type) => type === 'audio');
};
