import type { Speaker } from '../../contract/transcript.ts';

/** A speaker's name until a person gives another. */
export const defaultName = (label: string): string => `Speaker ${label}`;

/** Whether a person named this speaker. */
export const isNamed = (label: string, { name }: Pick<Speaker, 'name'>): boolean =>
  name !== defaultName(label);

/** 0 → "A", 25 → "Z", 26 → "AA". */
export const labelAt = (index: number): string =>
  (index >= 26 ? labelAt(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));

const indexOf = (label: string): number =>
  [...label].reduce((total, letter) => total * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** The label after the last of those in use. */
export const nextLabel = (used: Iterable<string>): string =>
  labelAt(Math.max(-1, ...[...used].map(indexOf)) + 1);
