export const MODEL_ALIASES = ['nano', 'mini', 'pro'] as const;
export type ModelAlias = (typeof MODEL_ALIASES)[number];
export const isModelAlias = (name: string): name is ModelAlias =>
  MODEL_ALIASES.some((alias) => alias === name);
