/** Reads stored JSON; undefined if there is none or it is invalid. */
export const readStored = (storage: Storage, key: string): unknown => {
  const text = storage.getItem(key);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON counts as absent.
    storage.removeItem(key);
    return undefined;
  }
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
