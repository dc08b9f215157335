import { isRecord, readStored } from '../../lib/storage.ts';
import type { SegmentText } from './model/edit.ts';

/** A corrected text that the server has not taken yet, and the text that it was made from. */
export type UnsavedEdit = SegmentText & { readonly was: string };

const storageKey = (id: string) => `earshot.unsaved.${id}`;

const isUnsavedEdit = (entry: unknown): entry is UnsavedEdit =>
  isRecord(entry) &&
  typeof entry.id === 'number' &&
  typeof entry.text === 'string' &&
  typeof entry.was === 'string';

/** The corrections that this browser still owes the server. */
export const readUnsavedEdits = (storage: Storage, id: string): UnsavedEdit[] => {
  const stored = readStored(storage, storageKey(id));
  return Array.isArray(stored) ? stored.filter(isUnsavedEdit) : [];
};

/** Keeps them over a reload, a crash or a server that is away. They are gone from here once they are saved. */
export const writeUnsavedEdits = (storage: Storage, id: string, texts: readonly UnsavedEdit[]): void => {
  if (texts.length === 0) {
    storage.removeItem(storageKey(id));
    return;
  }
  try {
    storage.setItem(storageKey(id), JSON.stringify(texts));
  } catch (error) {
    // The browser's storage is full: the corrections are still on their way to the server.
    console.info('Corrections were not kept in the browser.', error instanceof Error ? error.name : '');
  }
};
