import { expect, it } from 'vitest';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { PatchTranscript } from '../../../electron/contract/transcript-edits.ts';
import {
  createAutosave,
  NOTHING_UNSAVED,
  type SaveState,
} from '../../../renderer/features/transcript/autosave.ts';
import { readUnsavedEdits } from '../../../renderer/features/transcript/unsaved-edits.ts';
import { memoryStorage } from './support/memory-storage.ts';

/** A window on a transcript: its edits, and what it sends. */
const openWindow = (storage: Storage) => {
  const requests: number[] = [];
  let state: SaveState = NOTHING_UNSAVED;
  let isServerUp = true;
  // Of the transcript, only the segments are read.
  const transcript = { segments: [] } as unknown as Transcription;
  const patch = async (body: unknown) => {
    if (!isServerUp) throw new Error('The service cannot be reached.');
    requests.push(PatchTranscript.parse(body).segments?.length ?? 0);
    return transcript;
  };
  const autosave = createAutosave({
    patch,
    load: async () => transcript,
    id: 'tr_1',
    storage,
    getState: () => state,
    setState: (change) => {
      state = { ...state, ...change };
    },
    onStored: () => {},
    onSaved: () => {},
    onConflict: () => {},
  });
  return {
    requests,
    restore: autosave.restore,
    unsaved: autosave.unsaved,
    state: () => state,
    /** Saves edits, to a service that answers or not. */
    edit: async (edits: Readonly<Record<number, string>>, isUp = true): Promise<void> => {
      isServerUp = isUp;
      autosave.queue(
        Object.entries(edits).map(([id, text]) => ({ id: Number(id), text })),
        1,
      );
      await autosave.save();
    },
  };
};

/** Saves edits and returns the numbers of those of each request. */
const save = async (texts: readonly string[]): Promise<number[]> => {
  const window = openWindow(memoryStorage());
  await window.edit({ ...texts });
  expect(window.state()).toMatchObject({ saving: 'saved', saveError: undefined });
  expect(window.unsaved()).toEqual([]);
  return window.requests;
};

const storedIn = (storage: Storage) => readUnsavedEdits(storage, 'tr_1').map(({ id, text }) => [id, text]);

it('sends edits in as many requests as the server’s bounds ask for', async () => {
  expect(await save(Array(1000).fill('x'))).toEqual([200, 200, 200, 200, 200]);
  expect(await save(Array(5).fill('x'.repeat(40_000)))).toEqual([2, 2, 1]);
  expect(await save(['x'.repeat(100_000), 'y'])).toEqual([1, 1]);
  expect(await save([])).toEqual([]);
});

it('keeps the unsaved edits of another window of the browser', async () => {
  const storage = memoryStorage();
  const [one, other] = [openWindow(storage), openWindow(storage)];
  await one.edit({ 1: 'one' }, false);
  await other.edit({ 2: 'other' }, false);
  expect(storedIn(storage)).toEqual([
    [1, 'one'],
    [2, 'other'],
  ]);
  await other.edit({});
  expect(storedIn(storage)).toEqual([[1, 'one']]);
  await one.edit({});
  expect(storage.length).toBe(0);
});

it('takes over the edits that an earlier page could not save', async () => {
  const storage = memoryStorage();
  await openWindow(storage).edit({ 1: 'one', 2: 'two' }, false);
  const reopened = openWindow(storage);
  reopened.restore();
  expect(reopened.unsaved()).toEqual([
    { id: 1, text: 'one' },
    { id: 2, text: 'two' },
  ]);
  await reopened.edit({ 2: 'more' });
  expect(reopened.requests).toEqual([2, 1]);
  expect(storage.length).toBe(0);
});
