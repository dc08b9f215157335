import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createYielder } from '../../../electron/core/base/event-loop.ts';
import { indexText } from '../../../electron/core/search/tokens.ts';
import { sql } from '../../../electron/core/stores/database.ts';
import { runPendingScrub } from '../../../electron/core/stores/scrub.ts';
import { isScrubPending, markForScrub } from '../../../electron/core/stores/scrub-mark.ts';
import { prepareIndexedText } from '../../../electron/core/stores/search.ts';
import {
  countSegments,
  deleteAllOthers,
  deleteReplaced,
  insertSegments,
  readSegment,
  readSegments,
  readSegmentTexts,
  replaceSpans,
  type StoredSegment,
  stageSegments,
  switchToStaged,
  updateSegment,
  withSpans,
} from '../../../electron/core/stores/segments.ts';
import { findTranscript } from '../../../electron/core/stores/transcripts.ts';
import { addJob, openTestDatabase } from '../../support/database.ts';

const db = openTestDatabase();

/** A job of a transcript with these segments. */
const jobWith = (segments: readonly StoredSegment[]) => {
  const id = addJob(db);
  insertSegments(db, id, 3, segments);
  return { id, attempt: findTranscript(db, id)?.attempt ?? -1 };
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

const rowsOf = (id: string): number =>
  db.get(
    sql
      .selectFrom('segments')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('transcript_id', '=', id),
  )?.count ?? 0;

describe('staged segments', () => {
  it('are those of the transcript once they are used, again and again, and then alone', async () => {
    await fc.assert(
      fc.asyncProperty(segments, fc.array(segments, { minLength: 1, maxLength: 3 }), async (first, later) => {
        const job = jobWith(inOrder(first));
        let before = inOrder(first);
        for (const after of later.map(inOrder)) {
          const staged = await stageSegments(db, job, after, createYielder());
          expect(readSegments(db, job.id)).toEqual(before);
          db.transaction(() => switchToStaged(db, staged));
          expect(readSegments(db, job.id)).toEqual(after);
          await deleteReplaced(db, staged);
          expect(readSegments(db, job.id)).toEqual(after);
          expect([countSegments(db, job.id), rowsOf(job.id)]).toEqual([after.length, after.length]);
          before = after;
        }
      }),
      { numRuns: 40 },
    );
  });

  it('are written only where they differ', async () => {
    const list = [segment(0, 'one'), segment(1, 'two'), segment(2, 'three')];
    const job = jobWith(list);
    expect((await stageSegments(db, job, list, createYielder())).isChange).toBe(false);
    for (const other of [
      list.slice(0, 2),
      [...list, segment(3, 'four')],
      [segment(0, 'one', 'A'), ...list.slice(1)],
    ]) {
      expect((await stageSegments(db, job, other, createYielder())).isChange).toBe(true);
    }
  });

  it('can be edited like others', async () => {
    const job = jobWith([segment(0, 'one')]);
    const list = Array.from({ length: 20 }, (_, id) => segment(id, `word${id}`));
    const staged = await stageSegments(db, job, list, createYielder());
    switchToStaged(db, staged);
    // Before what they replaced is deleted.
    const spans = [
      { at: 2, count: 1, segments: [segment(2, 'a'), segment(3, 'b')] },
      { at: 5, count: 2, segments: [] },
      { at: 9, count: 1, segments: [segment(9, 'c')] },
    ];
    replaceSpans(db, job.id, spans);
    await deleteReplaced(db, staged);
    const texts = withSpans(list, spans).map(({ text }) => text);
    expect(readSegments(db, job.id).map(({ id, text }) => [id, text])).toEqual(
      texts.map((text, id) => [id, text]),
    );
    updateSegment(db, job.id, segment(7, 'seven'));
    expect(readSegment(db, job.id, 7)?.text).toBe('seven');
    expect(readSegmentTexts(db, job.id)[7]?.text).toBe('seven');
  });

  it('are dropped when another attempt holds the job', async () => {
    const job = jobWith([segment(0, 'one')]);
    const other = { ...job, attempt: job.attempt + 1 };
    await expect(stageSegments(db, other, [segment(0, 'two')], createYielder())).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(rowsOf(job.id)).toBe(1);
  });

  it.each([
    ['before they were used', false, 'one'],
    ['once they were used', true, 'two'],
  ])('leave nothing behind at the next start when the program ends %s', async (_when, isUsed, kept) => {
    const job = jobWith([segment(0, 'one')]);
    const staged = await stageSegments(db, job, [segment(0, 'two')], createYielder());
    markForScrub(db, 'log');
    if (isUsed) switchToStaged(db, staged);
    runPendingScrub(db, Number.POSITIVE_INFINITY);
    expect([isScrubPending(db), rowsOf(job.id)]).toEqual([true, 2]);
    deleteAllOthers(db);
    expect([readSegments(db, job.id).map(({ text }) => text), rowsOf(job.id)]).toEqual([[kept], 1]);
    runPendingScrub(db, Number.POSITIVE_INFINITY);
    expect(isScrubPending(db)).toBe(false);
  });

  it('of an earlier attempt are replaced', async () => {
    const job = jobWith([segment(0, 'one')]);
    await stageSegments(db, job, [segment(0, 'two'), segment(1, 'three')], createYielder());
    const staged = await stageSegments(db, job, [segment(0, 'four')], createYielder());
    switchToStaged(db, staged);
    await deleteReplaced(db, staged);
    expect([readSegments(db, job.id).map(({ text }) => text), rowsOf(job.id)]).toEqual([['four'], 1]);
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
