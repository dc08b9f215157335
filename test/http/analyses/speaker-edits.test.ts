import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../electron/contract/client.ts';
import { AnalyzeTranscript, type Transcription } from '../../../electron/contract/transcript.ts';
import { filesHolding } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { storeTalk } from '../../support/written-talk.ts';

let server: TestServer;
const talks: string[] = [];
let id: string;
let client: Client;

/** Two speakers: A 4 + 4 words, B 5 words, 0.4 s each. */
const TALK = [
  ['A', 'Good morning, my name’s Quillmark.', 'Shall we start now?'],
  ['B', 'Yes, I think we should.'],
] as const;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  for (let talk = 0; talk < 20; talk++) talks.push(storeTalk(dataDir, `Talk ${talk}`, TALK));
  server = await startServer({ dataDir });
  client = server.client;
});
afterAll(() => discard(server));
beforeEach(() => {
  id = talks.pop() ?? '';
});

const read = (): Promise<Transcription> => client.call('getTranscript', { params: { id } });
type Segments = NonNullable<Parameters<typeof patch>[0]['segments']>;
const patch = (body: {
  segments?: {
    id: number;
    text?: string;
    was?: string;
    speaker_id?: string;
    was_speaker_id?: string | null;
    words?: [number, number];
    paragraph_starts?: number[];
  }[];
  speakers?: Record<string, string | { name?: string; color?: number | null; remember?: boolean }>;
}) => client.call('patchTranscript', { params: { id }, body });
const assign = (...segments: Segments) => patch({ segments });
const undo = (edit?: number) =>
  client.call('undoEdit', { params: { id }, body: edit === undefined ? {} : { edit } });
const redo = () => client.call('redoEdit', { params: { id }, body: {} });
const merge = (from: string, into: string) =>
  client.call('mergeSpeakers', { params: { id }, body: { from, into } });
const split = (
  from: string,
  segments: (number | { id: number; words?: [number, number] })[],
  name?: string,
) =>
  client.call('splitSpeaker', {
    params: { id },
    body: { from, segments, ...(name === undefined ? {} : { name }) },
  });
const exported = async (format: 'srt' | 'txt' | 'csv' | 'vtt' | 'md') =>
  (await client.send('exportTranscript', { params: { id }, query: { format } })).text();

const told = ({ segments }: Transcription) =>
  segments.map(({ speaker_id, text }) => `${speaker_id}: ${text}`);
const talkOf = ({ speakers = {} }: Transcription) =>
  Object.fromEntries(Object.entries(speakers).map(([label, { talk_seconds }]) => [label, talk_seconds]));

/** Everything that an edit changes, so that undoing can be compared with the state before. */
const state = ({ edits: _, revision: __, ...transcript }: Transcription) => transcript;

const expectConsistent = (t: Transcription): void => {
  expect(t.segments.map(({ id: place }) => place)).toEqual(t.segments.map((_, index) => index));
  for (const { speaker_id, words = [] } of t.segments) {
    expect(new Set(words.map((word) => word.speaker_id))).toEqual(new Set([speaker_id]));
  }
  const shares = Object.values(t.speakers ?? {}).reduce((sum, { share }) => sum + share, 0);
  expect(shares).toBeCloseTo(1, 2);
};

describe('moving words to another speaker', () => {
  it('moves a segment, with its talk time, into subtitles and exports', async () => {
    const before = await read();
    const moved = await assign({ id: 1, speaker_id: 'B' });
    expect(told(moved)).toEqual([
      'A: Good morning, my name’s Quillmark.',
      'B: Shall we start now?',
      'B: Yes, I think we should.',
    ]);
    expectConsistent(moved);
    expect(moved.text).toBe(before.text);
    expect(talkOf(moved)).toEqual({ A: 2, B: 3.6 });
    const { data } = await client.call('getSentences', { params: { id } });
    expect(data.statistics.speakers).toEqual({
      A: { words: 5, talk_seconds: 2, share: 0.357 },
      B: { words: 9, talk_seconds: 3.6, share: 0.643 },
    });
    expect(await exported('txt')).toContain('Speaker B: Shall we start now? Yes, I think we should.');
    expect(await exported('vtt')).toContain('<v Speaker B>Shall we start now?');
    expect(await exported('csv')).toContain('Speaker B,Shall we start now?');
  });

  it('splits a segment between words, and moves a selection across segments with one request', async () => {
    const before = await read();
    const moved = await assign(
      { id: 0, speaker_id: 'B', words: [3, 4] },
      { id: 1, speaker_id: 'B', words: [0, 1] },
    );
    expect(told(moved)).toEqual([
      'A: Good morning, my',
      'B: name’s Quillmark.',
      'B: Shall we',
      'A: start now?',
      'B: Yes, I think we should.',
    ]);
    expectConsistent(moved);
    expect(moved).toMatchObject({ text: before.text, word_count: before.word_count });
    expect(moved.segments[1]).toMatchObject({ start: 1.2, end: 2 });
    expect(await exported('srt')).toContain('SPEAKER B: name’s Quillmark.');
    expect(state(await undo())).toEqual(state(before));
    expect(told(await redo())).toEqual(told(moved));
  });

  it('joins again in every export what is moved back', async () => {
    const texts = () => Promise.all((['srt', 'vtt', 'txt', 'md'] as const).map(exported));
    const before = await texts();
    await assign({ id: 0, speaker_id: 'B', words: [1, 2] });
    expect(await texts()).not.toEqual(before);
    // The words of the middle, which are a segment of their own now.
    const back = await assign({ id: 1, speaker_id: 'A' });
    expect(told(back).length).toBeGreaterThan(3);
    expect(await texts()).toEqual(before);
  });

  it('corrects the text with it, and is found by the new words', async () => {
    const moved = await assign({ id: 2, text: 'No, I think we should not.', speaker_id: 'A', words: [0, 0] });
    expect(told(moved).slice(2)).toEqual(['A: No,', 'B: I think we should not.']);
    expect(moved.text).toContain('Shall we start now? No, I think we should not.');
    const { data } = await client.call('searchTranscripts', { query: { q: '"should not"' } });
    expect(data.results.find((hit) => hit.id === id)?.hits).toMatchObject([{ segment_id: 3 }]);
    expect((await undo()).text).toContain('Yes, I think we should.');
  });

  it('is refused where it does not fit, and changes nothing', async () => {
    const before = await read();
    const wrong: readonly (readonly [Segments[number], RegExp])[] = [
      [{ id: 1, speaker_id: 'C' }, /no speaker C/],
      [{ id: 7, speaker_id: 'B' }, /no segment 7/],
      [{ id: 1, speaker_id: 'B', words: [2, 4] }, /no word 4/],
      [{ id: 1, speaker_id: 'B', words: [2, 1] }, /end before it begins/],
    ];
    for (const [segment, message] of wrong) {
      await expect(assign({ id: 0, speaker_id: 'B' }, segment)).rejects.toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
      await expect(assign(segment)).rejects.toThrow(/./);
      const error: unknown = await assign(segment).catch((each: unknown) => each);
      expect(JSON.stringify(error) + String(error)).toMatch(message);
    }
    expect(await read()).toEqual(before);
  });

  it('is a conflict where another window moved or rewrote the segment before', async () => {
    await assign({ id: 1, speaker_id: 'B', was_speaker_id: 'A' });
    const added = await client.call('addSpeaker', { params: { id }, body: {} });
    expect(Object.keys(added.speakers ?? {})).toEqual(['A', 'B', 'C']);
    await expect(assign({ id: 1, speaker_id: 'C', was_speaker_id: 'A' })).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
      details: [{ path: 'segments.1' }],
    });
    // The same move again is none.
    await assign({ id: 1, speaker_id: 'B', was_speaker_id: 'A' });
    await expect(assign({ id: 1, speaker_id: 'C', was: 'Another text' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(told(await read())[1]).toBe('B: Shall we start now?');
  });
});

describe('speakers', () => {
  it('are merged, which can be undone', async () => {
    await patch({ speakers: { B: 'Tom' } });
    const before = await read();
    const merged = await merge('B', 'A');
    expect(Object.keys(merged.speakers ?? {})).toEqual(['A']);
    expect(talkOf(merged)).toEqual({ A: 5.6 });
    expectConsistent(merged);
    await expect(merge('B', 'A')).rejects.toMatchObject({ status: 400, details: [{ path: 'from' }] });
    await expect(merge('A', 'A')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(state(await undo())).toEqual(state(before));
  });

  it('are split: chosen segments and words become a new one', async () => {
    const before = await read();
    const parted = await split('A', [1, { id: 0, words: [4, 4] }], 'Quill');
    expect(told(parted)).toEqual([
      'A: Good morning, my name’s',
      'C: Quillmark.',
      'C: Shall we start now?',
      'B: Yes, I think we should.',
    ]);
    expect(parted.speakers?.C).toMatchObject({ name: 'Quill', talk_seconds: 2 });
    expectConsistent(parted);
    await expect(split('A', [3])).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect(state(await undo())).toEqual(state(before));
  });

  it('are added, named and colored, each undone by itself', async () => {
    await client.call('addSpeaker', { params: { id }, body: { name: 'Ana', color: 4 } });
    await patch({ speakers: { A: { color: 2 } } });
    const named = await patch({ speakers: { A: { name: 'Maria' } } });
    expect(named.speakers).toMatchObject({
      A: { name: 'Maria', color: 2 },
      C: { name: 'Ana', color: 4, talk_seconds: 0, share: 0 },
    });
    expect((await undo()).speakers?.A).toMatchObject({ name: 'Speaker A', color: 2 });
    expect((await undo()).speakers?.A).not.toHaveProperty('color');
    expect(Object.keys((await undo()).speakers ?? {})).toEqual(['A', 'B']);
    await expect(undo()).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await expect(patch({ speakers: { A: { color: 6 } } })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the history of edits', () => {
  it('has texts and speakers in one order, and survives a restart', async () => {
    const first = await read();
    expect(first).not.toHaveProperty('edits');
    const rewritten = await assign({ id: 0, text: 'Good evening, my name’s Quillmark.' });
    expect(rewritten.edits).toMatchObject({ undo: { kind: 'text' }, redo: null });
    const moved = await assign({ id: 0, speaker_id: 'B' });
    await server.stop();
    server = await startServer({ dataDir: server.dataDir });
    client = server.client;
    expect(await read()).toEqual(moved);
    const back = await undo(moved.edits?.undo?.id);
    expect(state(back)).toEqual(state(rewritten));
    expect(state(await undo())).toEqual(state(first));
    expect(state(await redo())).toEqual(state(rewritten));
    expect(state(await redo())).toEqual(state(moved));
  });

  it('is a conflict where another edit was made since, and a new edit ends what could be redone', async () => {
    const moved = await assign({ id: 0, speaker_id: 'B' });
    const edit = moved.edits?.undo?.id;
    await assign({ id: 1, speaker_id: 'B' });
    await expect(undo(edit)).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect((await undo()).edits?.redo).toMatchObject({ kind: 'speakers' });
    const other = await assign({ id: 1, text: 'Shall we go now?' });
    expect(other.edits?.redo).toBeNull();
    await expect(redo()).rejects.toMatchObject({ status: 409 });
  });

  it('takes typing the old text again as undoing: times and confidence come back', async () => {
    const before = await read();
    await assign({ id: 1, text: 'Will we stop now?' });
    const typed = await assign({ id: 1, text: 'Shall we start now?' });
    expect(state(typed)).toEqual(state(before));
    expect(typed.edits).toMatchObject({ undo: null, redo: { kind: 'text' } });
    const again = await assign({ id: 1, text: 'Will we stop now?' });
    expect(again.edits).toMatchObject({ undo: { kind: 'text' }, redo: null });
  });

  it('is undone by the old text over all that was saved while it was typed', async () => {
    await assign({ id: 1, speaker_id: 'B' });
    const before = await read();
    for (const text of ['Will we', 'Will we stop', 'Will we stop now?']) await assign({ id: 1, text });
    const was = 'Will we stop now?';
    const back = await assign({ id: 1, text: 'Shall we start now?', was });
    expect(state(back)).toEqual(state(before));
    expect(back.edits?.undo).toEqual(before.edits?.undo);
    expect((await assign({ id: 1, text: was })).edits?.redo).toBeNull();
  });

  it('is forgotten when asked', async () => {
    await assign({ id: 1, speaker_id: 'B' });
    const forgotten = await client.call('forgetEdits', { params: { id } });
    expect(forgotten).not.toHaveProperty('edits');
    expect(told(forgotten)[1]).toBe('B: Shall we start now?');
    await expect(undo()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is not there for other users', async () => {
    await assign({ id: 1, speaker_id: 'B' });
    const { data } = await client.call('createUser', { body: { name: `guest ${id}` } });
    const guest = server.as(data.key.key);
    const missing = { status: 404, code: 'transcript_not_found' };
    const params = { id };
    await expect(guest.call('undoEdit', { params, body: {} })).rejects.toMatchObject(missing);
    await expect(
      guest.call('mergeSpeakers', { params, body: { from: 'A', into: 'B' } }),
    ).rejects.toMatchObject(missing);
  });

  it('is forgotten when the text is redacted, in the database files as well', async () => {
    await split('A', [0], 'Zebulon Quillmark');
    await assign({ id: 1, text: 'Shall Quillmark start now?' });
    const redacted = await client.call('analyzeTranscript', {
      params: { id },
      body: AnalyzeTranscript.parse({ redact_pii: true, wait_until_complete: true }),
    });
    expect(redacted.status).toBe('completed');
    expect(redacted).not.toHaveProperty('edits');
    await expect(undo()).rejects.toMatchObject({ status: 409 });
    expect(JSON.stringify(redacted)).not.toContain('Zebulon');
    const db = new BetterSqlite3(join(server.dataDir, 'earshot.db'), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM edits WHERE transcript_id = ?').pluck().get(id)).toBe(0);
    db.close();
    expect(filesHolding(server.dataDir, Buffer.from('Zebulon'))).toEqual([]);
    // What is edited now is redacted text, and so is its history.
    const edited = await assign({ id: 0, speaker_id: 'B' });
    expect(JSON.stringify(edited)).not.toContain('Zebulon');
    expect(told(await undo())).toEqual(told(redacted));
  });
});
