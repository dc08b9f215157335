import { isRecord, readStored } from '../../lib/storage.ts';
import type { SegmentText } from './model/edit.ts';

/** A corrected text that the server has not taken yet, and the text that it was made from. */
export type UnsavedText = SegmentText & { readonly was: string };

const keyOf = (id: string) => `earshot.unsaved.${id}`;

const isUnsaved = (entry: unknown): entry is UnsavedText =>
  isRecord(entry) &&
  typeof entry.id === 'number' &&
  typeof entry.text === 'string' &&
  typeof entry.was === 'string';

/** The corrections that this browser still owes the server. */
export const readUnsaved = (storage: Storage, id: string): UnsavedText[] => {
  const stored = readStored(storage, keyOf(id));
  return Array.isArray(stored) ? stored.filter(isUnsaved) : [];
};

/** Keeps them over a reload, a crash or a server that is away. They are gone from here once they are saved. */
export const writeUnsaved = (storage: Storage, id: string, texts: readonly UnsavedText[]): void => {
  if (texts.length === 0) {
    storage.removeItem(keyOf(id));
    return;
  }
  try {
    storage.setItem(keyOf(id), JSON.stringify(texts));
  } catch (error) {
    // The browser's storage is full: the corrections are still on their way to the server.
    console.info('Corrections were not kept in the browser.', error instanceof Error ? error.name : '');
  }
};
