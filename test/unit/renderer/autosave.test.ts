import { expect, it } from 'vitest';
import type { Client } from '../../../electron/contract/client.ts';
import { PatchTranscript } from '../../../electron/contract/transcript-edits.ts';
import {
  createAutosave,
  NOTHING_UNSAVED,
  type SaveState,
} from '../../../renderer/features/transcript/autosave.ts';
import { memoryStorage } from './support/memory-storage.ts';

/** Saves edits and returns the numbers of those of each request. */
const save = async (texts: readonly string[]): Promise<number[]> => {
  const requests: number[] = [];
  let state: SaveState = NOTHING_UNSAVED;
  const call = async (_name: string, input: { body: unknown }) => {
    const { segments = [] } = PatchTranscript.parse(input.body);
    requests.push(segments.length);
    return { segments: [] };
  };
  const autosave = createAutosave({
    // Only `call` is used, for one operation.
    client: { call } as unknown as Client,
    id: 'tr_1',
    storage: memoryStorage(),
    getState: () => state,
    setState: (change) => {
      state = { ...state, ...change };
    },
    onStored: () => {},
    onSaved: () => {},
    onConflict: () => {},
    onRequest: () => {},
    onFailure: () => {},
  });
  autosave.queue(texts.map((text, id) => ({ id, text })));
  await autosave.save();
  expect(state).toMatchObject({ saving: 'saved', saveError: undefined });
  expect(autosave.unsaved()).toEqual([]);
  return requests;
};

it('sends edits in as many requests as the server’s bounds ask for', async () => {
  expect(await save(Array(1000).fill('x'))).toEqual([200, 200, 200, 200, 200]);
  expect(await save(Array(5).fill('x'.repeat(40_000)))).toEqual([2, 2, 1]);
  expect(await save(['x'.repeat(100_000), 'y'])).toEqual([1, 1]);
  expect(await save([])).toEqual([]);
});
