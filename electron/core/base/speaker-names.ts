import type { Speaker } from '../../contract/transcript.ts';

/** A speaker's name until a person gives another. */
export const defaultName = (label: string): string => `Speaker ${label}`;

/** Whether a person named this speaker. */
export const isNamed = (label: string, { name }: Pick<Speaker, 'name'>): boolean =>
  name !== defaultName(label);
