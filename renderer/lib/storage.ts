/** Reads JSON that this window wrote earlier; undefined when there is none or it is damaged. */
export const readStored = (store: Storage, key: string): unknown => {
  const text = store.getItem(key);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not ours or damaged: as good as none.
    store.removeItem(key);
    return undefined;
  }
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
