import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { MIN_LONG_TEXT } from '../../electron/core/pipeline/findings/analyze.ts';
import { median } from '../bench/measure.ts';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { LoopPauses } from '../support/loop-pauses.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

let server: TestServer;
/** 17 minutes of speech, with analyses, which follow where the text is long. */
let id: string;

const PLACE = 7;
const pauses = new LoopPauses();

beforeAll(async () => {
  const dataDir = temporaryFolder();
  id = storeTranscript(dataDir, spokenFor(0.28), {
    timestamp_style: 'word',
    entity_detection: true,
    topics: true,
    summarization: true,
    content_safety: true,
  });
  server = await startServer({ dataDir, env: pauses.env });
});
afterAll(() => discard(server));

const edit = (text: string, more: { paragraph_starts?: number[] } = {}): Promise<Transcription> =>
  server.client.call('patchTranscript', {
    params: { id },
    body: { segments: [{ id: PLACE, text, ...more }] },
  });
const read = (): Promise<Transcription> => server.client.call('getTranscript', { params: { id } });

/** Asks seldom, since an answer is the whole text. */
const untilRead = (ask: () => Promise<boolean>): Promise<boolean> => until(ask, undefined, 500);

const named = ({ entities = [] }: Transcription, name: string): boolean =>
  entities.some(({ text }) => text === name);

const expectConsistent = (t: Transcription): void => {
  for (const { text, startIndex, endIndex } of t.entities ?? []) {
    expect(t.text.slice(startIndex, endIndex)).toBe(text);
  }
  const words = t.segments.flatMap((segment) => segment.words ?? []);
  expect(t.word_count).toBe(words.length);
  expect(t.confidence).toBeCloseTo(words.reduce((sum, word) => sum + word.confidence, 0) / words.length, 3);
};

const timeOf = async (action: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await action();
  return performance.now() - started;
};

describe('an edit of a long, analyzed text', () => {
  it('is answered with the new text, and its analyses follow, with its profanity masked', async () => {
    expect((await read()).text.length).toBeGreaterThan(MIN_LONG_TEXT);
    expect((await edit('We met Anna Bell in Berlin.')).text).toContain('Anna Bell');
    await untilRead(async () => named(await read(), 'Anna Bell'));
    const moved = await edit('Long before noon we met Anna Bell in Berlin.');
    expect(named(moved, 'Anna Bell')).toBe(true);
    expectConsistent(moved);
    const gone = await edit('Well. We met Tom Baker, the bastard, in Berlin.', { paragraph_starts: [1] });
    expect(named(gone, 'Anna Bell')).toBe(false);
    expectConsistent(gone);
    await untilRead(async () => named(await read(), 'Tom Baker'));
    const followed = await read();
    expect(followed.segments[PLACE]).toMatchObject({
      text: 'Well. We met Tom Baker, the b******, in Berlin.',
      paragraph_starts: [1],
    });
    expect(followed.summary?.engine).toBe('extractive');
    expectConsistent(followed);
  });

  it('keeps its analyses owed after a crash', async () => {
    await edit('We met Maria Lopez in Berlin.');
    await server.kill();
    server = await startServer({ dataDir: server.dataDir, env: pauses.env });
    await untilRead(async () => named(await read(), 'Maria Lopez'));
  });

  it('takes little longer than reading the text', async () => {
    const edits: number[] = [];
    const reads: number[] = [];
    for (let n = 0; n < 9; n++) {
      edits.push(await timeOf(() => edit(`We met in room ${n}.`)));
      reads.push(await timeOf(read));
    }
    expect(median(edits)).toBeLessThan(Math.max(150, 5 * median(reads)));
  });

  it('to 50,000 words of a point lets other requests in between', async () => {
    await pauses.expectFree(server, (attempt) => edit(`${'. '.repeat(49_990)}${attempt}`));
    await edit('We met in room 1.');
  }, 240_000);

  it('is found at once', async () => {
    await edit('We met the xylophonist.');
    const found = await server.client.call('searchTranscripts', { query: { q: 'xylophonist' } });
    expect(found.data.results.map((hit) => hit.id)).toEqual([id]);
  });
});
