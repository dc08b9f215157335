import { describe, expect, it } from 'vitest';
import type { Database } from '../../../electron/core/stores/database.ts';
import {
  claimNext,
  isQueuePaused,
  lastQueueOrder,
  listCrashed,
  listRunning,
  listWaiting,
  moveInQueue,
  releaseJob,
  releaseLeases,
  setQueuePaused,
  updateClaimed,
} from '../../../electron/core/stores/jobs.ts';
import { updateTranscript } from '../../../electron/core/stores/transcripts.ts';
import { addJob, openTestDatabase, transcriptIn } from '../../support/database.ts';

const LEASE = 'this-run';

/** Queues jobs that are named after their user, such as `a1`. */
const queueOf = (...ids: readonly string[]): Database => {
  const db = openTestDatabase();
  for (const id of ids) addJob(db, `usr_${id.charAt(0)}`, { id });
  return db;
};

const waiting = (db: Database): string[] => listWaiting(db).map(({ id }) => id);

/** Claims one job after another until none is left; returns their ids. */
const claimAll = (db: Database, deferred?: ReadonlySet<string>): string[] => {
  const ids: string[] = [];
  for (let now = 1; ; now++) {
    const next = claimNext(db, LEASE, now, deferred);
    if (next === undefined) return ids;
    ids.push(next.id);
  }
};

const complete = (db: Database, id: string): void => {
  updateTranscript(db, id, { status: 'completed', lease: null });
};

describe('the order of the queue', () => {
  it('is that of arrival for one user', () => {
    expect(waiting(queueOf('a1', 'a2', 'a3'))).toEqual(['a1', 'a2', 'a3']);
  });

  it('takes one job of each user in turn, however many one of them has queued', () => {
    expect(waiting(queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'))).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'b2',
      'a3',
      'a4',
    ]);
  });

  it('counts running jobs as turns taken', () => {
    const db = queueOf('a1', 'a2', 'a3', 'b1', 'b2');
    claimNext(db, LEASE, 1);
    expect(waiting(db)).toEqual(['b1', 'b2', 'a2', 'a3']);
    claimNext(db, LEASE, 2);
    expect(waiting(db)).toEqual(['a2', 'b2', 'a3']);
  });

  it('prefers, between equals, the user who was served longest ago', () => {
    const db = queueOf('a1', 'b1', 'a2', 'b2');
    for (const now of [1, 2]) complete(db, claimNext(db, LEASE, now)?.id ?? '');
    addJob(db, 'usr_c', { id: 'c1' });
    expect(waiting(db)).toEqual(['c1', 'a2', 'b2']);
  });

  it('is the order in which jobs are claimed', () => {
    const ids = ['a1', 'a2', 'b1', 'c1', 'b2'];
    const db = queueOf(...ids);
    const order = waiting(db);
    expect(claimAll(db)).toEqual(order);
    expect(waiting(db)).toEqual([]);
    expect(listRunning(db).map(({ id }) => id)).toEqual(order);
  });

  it('leaves out completed and failed jobs', () => {
    const db = queueOf('a1', 'a2', 'a3');
    complete(db, 'a1');
    updateTranscript(db, 'a2', { status: 'failed' });
    expect(waiting(db)).toEqual(['a3']);
  });
});

describe('claimNext', () => {
  it('leases the job, notes the start and counts the attempt', () => {
    const db = queueOf('a1');
    expect(claimNext(db, LEASE, 77)).toMatchObject({ id: 'a1', lease: LEASE, attempt: 1, startedAt: 77 });
    expect(transcriptIn(db, 'a1')).toMatchObject({ lease: LEASE, attempt: 1 });
  });

  it('returns nothing when every job runs or is deferred', () => {
    const db = queueOf('a1', 'a2');
    claimNext(db, LEASE, 1);
    expect(claimNext(db, LEASE, 2, new Set(['a2']))).toBeUndefined();
  });

  it('skips deferred jobs without changing the order of the others', () => {
    const db = queueOf('a1', 'a2', 'b1');
    expect(claimAll(db, new Set(['a1']))).toEqual(['b1', 'a2']);
    expect(waiting(db)).toEqual(['a1']);
  });

  it('never gives the same job to two claims', () => {
    const db = queueOf(...Array.from({ length: 20 }, (_, i) => `${'abcd'.charAt(i % 4)}${i}`));
    const ids = claimAll(db);
    expect(new Set(ids).size).toBe(20);
  });
});

describe('releaseLeases', () => {
  it('returns the jobs of other runs to the queue and counts a crash for each', () => {
    const db = queueOf('a1', 'b1', 'c1');
    claimNext(db, 'earlier-run', 1);
    claimNext(db, 'earlier-run', 2);
    claimNext(db, LEASE, 3);
    expect(releaseLeases(db, LEASE)).toBe(2);
    expect(waiting(db)).toEqual(['a1', 'b1']);
    expect(['a1', 'b1', 'c1'].map((id) => transcriptIn(db, id).appCrashes)).toEqual([1, 1, 0]);
    expect(transcriptIn(db, 'c1').lease).toBe(LEASE);
  });

  it('does not count a job that its run has released itself', () => {
    const db = queueOf('a1');
    const claimed = claimNext(db, 'earlier-run', 1);
    releaseJob(db, 'a1', claimed?.attempt ?? 0);
    expect(releaseLeases(db, LEASE)).toBe(0);
    expect(transcriptIn(db, 'a1').appCrashes).toBe(0);
  });
});

describe('listCrashed', () => {
  it('lists waiting jobs with that many crashes or more', () => {
    const db = queueOf('a1', 'a2', 'a3', 'a4');
    for (const [id, appCrashes] of [
      ['a1', 2],
      ['a2', 3],
      ['a3', 4],
      ['a4', 9],
    ] as const) {
      updateTranscript(db, id, { appCrashes });
    }
    updateTranscript(db, 'a4', { status: 'failed' });
    expect(listCrashed(db, 3).map(({ id }) => id)).toEqual(['a2', 'a3']);
  });
});

describe('updateClaimed', () => {
  it('writes while the attempt holds the job', () => {
    const db = queueOf('a1');
    const { attempt } = claimNext(db, LEASE, 1) ?? { attempt: 0 };
    expect(updateClaimed(db, 'a1', attempt, { percent: 42 })).toBe(true);
    expect(transcriptIn(db, 'a1').percent).toBe(42);
  });

  it('drops the late write of an earlier attempt', () => {
    const db = queueOf('a1');
    const { attempt } = claimNext(db, 'earlier-run', 1) ?? { attempt: 0 };
    releaseLeases(db, LEASE);
    claimNext(db, LEASE, 2);
    expect(updateClaimed(db, 'a1', attempt, { percent: 42 })).toBe(false);
    expect(transcriptIn(db, 'a1').percent).toBe(0);
  });

  it('drops a write to a job that has ended', () => {
    const db = queueOf('a1');
    const { attempt } = claimNext(db, LEASE, 1) ?? { attempt: 0 };
    updateTranscript(db, 'a1', { status: 'failed', lease: null });
    expect(updateClaimed(db, 'a1', attempt, { text: 'late' })).toBe(false);
    expect(transcriptIn(db, 'a1').text).toBe('');
  });
});

describe('releaseJob', () => {
  it('returns a job to the place in the queue that it had', () => {
    const db = queueOf('a1', 'a2');
    const { attempt } = claimNext(db, LEASE, 1) ?? { attempt: 0 };
    releaseJob(db, 'a1', attempt);
    expect(waiting(db)).toEqual(['a1', 'a2']);
  });

  it('does nothing for an earlier attempt', () => {
    const db = queueOf('a1');
    claimNext(db, 'earlier-run', 1);
    releaseLeases(db, LEASE);
    claimNext(db, LEASE, 2);
    releaseJob(db, 'a1', 1);
    expect(listRunning(db).map(({ id }) => id)).toEqual(['a1']);
  });
});

describe('moveInQueue', () => {
  it.each([
    [1, ['a3', 'a1', 'a2', 'a4']],
    [2, ['a1', 'a3', 'a2', 'a4']],
    [3, ['a1', 'a2', 'a3', 'a4']],
    [4, ['a1', 'a2', 'a4', 'a3']],
    [99, ['a1', 'a2', 'a4', 'a3']],
  ])('moves a job to position %i among those of its user', (position, order) => {
    const db = queueOf('a1', 'a2', 'a3', 'a4');
    expect(moveInQueue(db, 'usr_a', 'a3', position)).toBe(true);
    expect(waiting(db)).toEqual(order);
  });

  it("does not change any other user's turn", () => {
    const db = queueOf('a1', 'b1', 'a2', 'b2');
    moveInQueue(db, 'usr_a', 'a2', 1);
    expect(waiting(db)).toEqual(['a2', 'b1', 'a1', 'b2']);
  });

  it("refuses another user's job, a running one and one that does not exist", () => {
    const db = queueOf('a1', 'a2', 'b1');
    claimNext(db, LEASE, 1);
    expect(['b1', 'a1', 'none'].map((id) => moveInQueue(db, 'usr_a', id, 1))).toEqual([false, false, false]);
    expect(waiting(db)).toEqual(['b1', 'a2']);
  });
});

describe('the pause of the queue', () => {
  it('is stored and leaves the jobs as they are', () => {
    const db = queueOf('a1');
    expect(isQueuePaused(db)).toBe(false);
    setQueuePaused(db, true);
    expect([isQueuePaused(db), waiting(db)]).toEqual([true, ['a1']]);
    setQueuePaused(db, false);
    expect(isQueuePaused(db)).toBe(false);
  });
});

it('a new job is queued behind the last one, also after a move', () => {
  const db = queueOf('a1', 'a2');
  moveInQueue(db, 'usr_a', 'a2', 1);
  expect(lastQueueOrder(db)).toBe(2);
  addJob(db, 'usr_a', { id: 'a3' });
  expect(waiting(db)).toEqual(['a2', 'a1', 'a3']);
});
