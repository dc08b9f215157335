import { z } from 'zod';
import { readStored, storedList } from '../../lib/storage.ts';
import type { SegmentText } from './model/edit.ts';

const UnsavedEdit = z.object({
  id: z.int().min(0),
  text: z.string(),
  paragraphStarts: z.array(z.int().min(0)).nullable().optional(),
  was: z.string(),
});
/** An edit that is not saved on the server, and the text that it started from. */
export type UnsavedEdit = SegmentText & { readonly was: string };

const storageKey = (id: string) => `earshot.unsaved.${id}`;

const StoredEdits = storedList(UnsavedEdit);

/** Reads the unsaved edits of a transcript. */
export const readUnsavedEdits = (storage: Storage, id: string): UnsavedEdit[] =>
  StoredEdits.parse(readStored(storage, storageKey(id)));

/** Removes the unsaved edits of a transcript. */
export const removeUnsavedEdits = (storage: Storage, id: string): void => storage.removeItem(storageKey(id));

/**
 * Stores unsaved edits in the place of those of the `replaced` segments, so that they survive a reload, a crash or an
 * unreachable server. Those of other segments stay: another window of this browser may have them.
 */
export const writeUnsavedEdits = (
  storage: Storage,
  id: string,
  replaced: ReadonlySet<number>,
  edits: readonly UnsavedEdit[],
): void => {
  const others = readUnsavedEdits(storage, id).filter((edit) => !replaced.has(edit.id));
  const all = [...others, ...edits];
  if (all.length === 0) {
    removeUnsavedEdits(storage, id);
    return;
  }
  try {
    storage.setItem(storageKey(id), JSON.stringify(all));
  } catch (error) {
    // The storage is full. Autosave still sends the edits.
    console.info(
      'Unsaved edits could not be stored in the browser.',
      error instanceof Error ? error.name : '',
    );
  }
};
