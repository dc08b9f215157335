import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import { createYielder } from '../../../electron/core/base/event-loop.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { indexText } from '../../../electron/core/search/tokens.ts';
import { newTranscript } from '../../../electron/core/services/transcripts/create.ts';
import { type Database, openDatabase } from '../../../electron/core/stores/database.ts';
import { prepareIndexedText } from '../../../electron/core/stores/search.ts';
import {
  insertSegments,
  prepareSegments,
  readSegments,
  readSegmentsInSteps,
  type StoredSegment,
  writeSegments,
} from '../../../electron/core/stores/segments.ts';
import { insertTranscript } from '../../../electron/core/stores/transcripts.ts';
import { insertUser } from '../../../electron/core/stores/users.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let db: Database;
const USER = 'usr_1';

beforeAll(() => {
  db = openDatabase(join(temporaryFolder(), 'earshot.db'), { logger: silentLogger, now: Date.now });
  insertUser(db, {
    id: USER,
    name: 'Maria',
    isOwner: true,
    createdAt: 0,
    storageLimit: null,
    creditBudget: null,
  });
});
afterAll(() => db.close());

/** A transcript with these texts, one segment each. */
const stored = (segments: readonly StoredSegment[]): string => {
  const body = CreateTranscript.parse({ audio_url: 'https://example.org/a.wav' });
  const row = newTranscript(body, {
    userId: USER,
    source: { name: 'a.wav', fileId: null },
    queueOrder: 1,
    now: 0,
  });
  insertTranscript(db, row);
  insertSegments(db, row.id, 3, segments);
  return row.id;
};

const segment = (id: number, text: string, speaker_id: string | null = null): StoredSegment => ({
  id,
  text,
  start: id,
  end: id + 1,
  speaker_id,
  words: [{ word: text, start: id, end: id + 1, confidence: 0.5, speaker_id }],
});

const segments = fc.uniqueArray(
  fc.tuple(fc.nat(700), fc.constantFrom('yes', 'no', 'はい'), fc.constantFrom(null, 'A')),
  { maxLength: 500, selector: ([id]) => id },
);
const inOrder = (list: readonly [number, string, string | null][]): StoredSegment[] =>
  list.toSorted(([a], [b]) => a - b).map(([id, text, speaker]) => segment(id, text, speaker));

describe('segments that are written again', () => {
  it('are the new ones, whatever there was before', async () => {
    await fc.assert(
      fc.asyncProperty(segments, segments, async (before, after) => {
        const id = stored(inOrder(before));
        const prepared = await prepareSegments(db, id, inOrder(after), createYielder());
        expect(readSegments(db, id)).toEqual(inOrder(before));
        writeSegments(db, id, prepared);
        expect(readSegments(db, id)).toEqual(inOrder(after));
        expect(await readSegmentsInSteps(db, id, createYielder())).toEqual(inOrder(after));
      }),
      { numRuns: 40 },
    );
  });

  it('leave rows alone that stay the same', async () => {
    const id = stored([segment(0, 'one'), segment(1, 'two'), segment(2, 'three')]);
    const after = [segment(0, 'one'), segment(1, 'zwei')];
    const { rows, removed } = await prepareSegments(db, id, after, createYielder());
    expect([rows.length, removed]).toEqual([1, [2]]);
  });
});

describe('a text prepared for the index', () => {
  it('has the words of the whole text, wherever it is cut', async () => {
    const part = fc.constantFrom(
      'Šimon ',
      'ＡＢＣ, ',
      'I’m ',
      '東京です',
      '안녕 ',
      'क्षि ',
      '😀',
      'a'.repeat(900),
      ' — ',
      '3.5% ',
      '\ud800',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4000, size: 'max' }), async (parts) => {
        const text = parts.join('');
        expect(await prepareIndexedText(text, createYielder())).toEqual({ text, words: indexText(text) });
      }),
      { numRuns: 60 },
    );
  });
});
