/**
 * Which analyses the window offers. The server refuses what it does not make yet, and what cannot be had is not
 * shown. Turning one on here is all that the window needs.
 */
export const OFFERED: Readonly<Record<'speakers' | 'redaction', boolean>> = {
  speakers: true,
  redaction: true,
};
