/**
 * Bounds of the segments of one PATCH, so that writing them delays no other request: their number, and the characters of
 * their texts, before or after the edit, whichever is longer. One segment alone may be longer.
 */
export const MAX_EDITS = 200;
export const MAX_EDITED_CHARACTERS = 100_000;

/** The least time that a border set by a person leaves to a word or a subtitle, in seconds. */
export const MIN_WORD_SECONDS = 0.01;
