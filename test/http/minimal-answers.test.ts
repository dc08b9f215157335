import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallInput } from '../../electron/contract/client.ts';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { TranscriptEdit } from '../../electron/contract/transcript-edits.ts';
import { applyEdit } from '../../renderer/features/transcript/model/apply-edit.ts';
import { EventReader } from '../support/event-reader.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: TestServer;
/** A short and an hour-long transcript, both with two speakers and words. */
let ids: readonly [short: string, long: string];

const store = (dataDir: string, hours: number): string => {
  const segments = spokenFor(hours).map((segment) => {
    const speaker_id = segment.id % 2 === 0 ? 'A' : 'B';
    return { ...segment, speaker_id, words: segment.words.map((word) => ({ ...word, speaker_id })) };
  });
  const speaker = { talk_seconds: 100, share: 0.5 };
  const speakers = { A: { name: 'Speaker A', ...speaker }, B: { name: 'Speaker B', ...speaker } };
  const analysis = { speakers };
  return storeTranscript(
    dataDir,
    segments,
    { timestamp_style: 'word', entity_detection: true },
    { analysis },
  );
};

beforeAll(async () => {
  const dataDir = temporaryFolder();
  ids = [store(dataDir, 0.05), store(dataDir, 1)];
  server = await startServer({ dataDir });
});
afterAll(() => discard(server));

const read = (id: string): Promise<Transcription> => server.client.call('getTranscript', { params: { id } });

const headers = { prefer: 'respond-async, return=minimal' };

/** Makes an edit; its answer must lead from the transcription before to the one after. Returns its size in bytes. */
const expectChange = async (id: string, edit: () => Promise<Response>): Promise<number> => {
  const before = await read(id);
  const response = await edit();
  expect(response.headers.get('preference-applied')).toBe('return=minimal');
  const text = await response.text();
  const change = TranscriptEdit.parse(JSON.parse(text));
  const { languages: _, ...expected } = await read(id);
  expect(applyEdit(before, change)).toMatchObject(expected);
  expect(change.revision).toBeGreaterThan(before.revision);
  return text.length;
};

const change = (id: string, body: CallInput<'patchTranscript'>['body']) =>
  expectChange(id, () => server.client.send('patchTranscript', { params: { id }, headers, body }));

describe('an edit with `Prefer: return=minimal`', () => {
  it.each([0, 1] as const)('is answered with what changed, in transcript %i', async (which) => {
    const id = ids[which];
    const { client } = server;
    const to = { params: { id }, headers };
    await change(id, { name: 'Another name' });
    await change(id, { segments: [{ id: 3, text: 'We met Anna Bell in Berlin.' }] });
    await change(id, { speakers: { A: 'Maria' } });
    await change(id, { segments: [{ id: 4, speaker_id: 'B', words: [1, 2] }] });
    await expectChange(id, () => client.send('addSpeaker', { ...to, body: { name: 'Tom' } }));
    await expectChange(id, () => client.send('undoEdit', { ...to, body: {} }));
    await expectChange(id, () =>
      client.send('splitSpeaker', { ...to, body: { from: 'A', segments: [0, { id: 2, words: [0, 1] }] } }),
    );
    await expectChange(id, () => client.send('mergeSpeakers', { ...to, body: { from: 'A', into: 'B' } }));
    await expectChange(id, () => client.send('undoEdit', { ...to, body: {} }));
    await expectChange(id, () => client.send('undoEdit', { ...to, body: {} }));
  });

  it('costs a few hundred bytes for a name, as does its event', async () => {
    const events = await EventReader.open(server.url, server.key);
    await events.waitFor('snapshot');
    expect(await change(ids[1], { name: 'An hour' })).toBeLessThan(500);
    const seen = await events.waitFor('transcript.changed');
    events.close();
    const { id, name, status, revision } = await read(ids[1]);
    expect(seen.at(-1)?.data).toEqual({ transcript: { id, name, status, revision } });
  });

  it('is answered with the whole transcription without it', async () => {
    const whole = await server.client.call('patchTranscript', {
      params: { id: ids[0] },
      body: { name: 'Whole' },
    });
    expect(whole).toEqual(await read(ids[0]));
  });
});
