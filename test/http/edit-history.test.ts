import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallInput } from '../../electron/contract/client.ts';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: TestServer;
let id: string;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  id = storeTranscript(dataDir, spokenFor(0.02), { name: 'First name', timestamp_style: 'word' });
  server = await startServer({ dataDir });
});
afterAll(() => discard(server));

const patch = (body: CallInput<'patchTranscript'>['body']): Promise<Transcription> =>
  server.client.call('patchTranscript', { params: { id }, body });
const type = (text: string, continues?: number, segment = 0): Promise<Transcription> =>
  patch({ segments: [{ id: segment, text }], continues });
const undo = (): Promise<Transcription> => server.client.call('undoEdit', { params: { id }, body: {} });
const redo = (): Promise<Transcription> => server.client.call('redoEdit', { params: { id }, body: {} });
const lastEdit = ({ edits }: Transcription): number | undefined => edits?.undo?.id;

describe('the history of edits', () => {
  it('takes back in one step what was typed on, with the times that the words had', async () => {
    const { segments: before } = await server.client.call('getTranscript', { params: { id } });
    const first = lastEdit(await type('Good evening'));
    const second = await type('Good evening and welcome', first);
    expect(lastEdit(second)).toBe(first);
    const third = await type('A second segment.', first, 1);
    expect(lastEdit(third)).not.toBe(first);
    expect((await type('A second segment, too.', lastEdit(third), 1)).edits?.undo?.id).toBe(lastEdit(third));
    const undone = await undo();
    expect(undone.segments).toEqual(before);
    expect(undone.edits?.undo).toBeNull();
    expect((await redo()).segments.slice(0, 2).map(({ text }) => text)).toEqual([
      'Good evening and welcome',
      'A second segment, too.',
    ]);
    expect((await undo()).segments).toEqual(before);
  });

  it('keeps steps apart that another edit lies between', async () => {
    const first = lastEdit(await type('One'));
    await type('Elsewhere', undefined, 2);
    await type('One two', first);
    expect((await undo()).segments[0]?.text).toBe('One');
    await undo();
    await undo();
  });

  it('has the name of the recording', async () => {
    const renamed = await patch({ name: 'Second name' });
    expect(renamed.edits?.undo?.kind).toBe('name');
    expect((await undo()).name).toBe('First name');
    expect((await redo()).name).toBe('Second name');
    const found = await server.client.call('searchTranscripts', { query: { q: 'Second name' } });
    expect(found.data.results.map((hit) => hit.id)).toEqual([id]);
    expect((await undo()).edits?.undo).toBeNull();
  });
});
