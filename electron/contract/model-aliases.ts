export const MODEL_ALIASES = ['nano', 'mini', 'pro'] as const;
/** Answers a request that names no model. */
export const DEFAULT_MODEL = 'mini';
export type ModelAlias = (typeof MODEL_ALIASES)[number];
export const isModelAlias = (name: string): name is ModelAlias =>
  MODEL_ALIASES.some((alias) => alias === name);
