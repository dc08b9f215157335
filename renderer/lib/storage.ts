import { z } from 'zod';

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

/** A stored list. What is no list is an empty one, and an invalid item is left out by itself. */
export const storedList = <T extends z.ZodType>(item: T) =>
  z
    .array(item.optional().catch(undefined))
    .catch([])
    .transform((items) => items.filter((one) => one !== undefined));
