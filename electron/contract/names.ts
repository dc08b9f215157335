import { z } from 'zod';

export const MODEL_ALIASES = ['nano', 'mini', 'pro'] as const;
/** Answers a request that names no model. */
export const DEFAULT_MODEL = 'mini';
export type ModelAlias = (typeof MODEL_ALIASES)[number];
export const isModelAlias = (name: string): name is ModelAlias =>
  MODEL_ALIASES.some((alias) => alias === name);

const BREAKS = /[\t-\r\u0085\u2028\u2029]+/gu;
/** Control characters, and those that reverse the text around them (Unicode Technical Report 36, CVE-2021-42574). */
const CONTROLS = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/** A name on one line, without what a terminal or a page would take for more than text. */
export const cleanName = (name: string): string => name.replaceAll(BREAKS, ' ').replaceAll(CONTROLS, '');

/** What a person or a program calls something. */
export const nameUpTo = (length: number) => z.string().overwrite(cleanName).trim().min(1).max(length);
