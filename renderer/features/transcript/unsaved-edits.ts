import { isRecord, readStored } from '../../lib/storage.ts';
import type { SegmentText } from './model/edit.ts';

/** An edit that is not saved on the server, and the text that it started from. */
export type UnsavedEdit = SegmentText & { readonly was: string };

const storageKey = (id: string) => `earshot.unsaved.${id}`;

const isParagraphStarts = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.every((start) => typeof start === 'number'));

const isUnsavedEdit = (entry: unknown): entry is UnsavedEdit =>
  isRecord(entry) &&
  typeof entry.id === 'number' &&
  typeof entry.text === 'string' &&
  typeof entry.was === 'string' &&
  isParagraphStarts(entry.paragraphStarts);

/** Reads the unsaved edits of a transcript. */
export const readUnsavedEdits = (storage: Storage, id: string): UnsavedEdit[] => {
  const stored = readStored(storage, storageKey(id));
  return Array.isArray(stored) ? stored.filter(isUnsavedEdit) : [];
};

/** Stores unsaved edits, so that they survive a reload, a crash or an unreachable server. */
export const writeUnsavedEdits = (storage: Storage, id: string, texts: readonly UnsavedEdit[]): void => {
  if (texts.length === 0) {
    storage.removeItem(storageKey(id));
    return;
  }
  try {
    storage.setItem(storageKey(id), JSON.stringify(texts));
  } catch (error) {
    // The storage is full. Autosave still sends the edits.
    console.info(
      'Unsaved edits could not be stored in the browser.',
      error instanceof Error ? error.name : '',
    );
  }
};
