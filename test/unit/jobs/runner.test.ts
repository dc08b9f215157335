import { describe, expect, it, vi } from 'vitest';
import { setQueuePaused } from '../../../electron/core/stores/jobs.ts';
import { deleteTranscript } from '../../../electron/core/stores/transcripts.ts';
import { addJob, openTestDatabase, transcriptIn } from '../../support/database.ts';
import { segment, startRunner } from './support/runner.ts';

const progressAt = (percent: number, stage: 'downloading' | 'transcribing' = 'transcribing') => ({
  stage,
  percent,
  etaSeconds: null,
  speed: null,
});

describe('claiming', () => {
  it('runs a queued job and publishes its end', async () => {
    const { db, runner, job, published } = startRunner();
    const id = addJob(db);
    runner.wake();
    expect(runner.isRunning(id)).toBe(true);
    await job(id).complete('Hello.');
    expect(transcriptIn(db, id)).toMatchObject({ status: 'completed', text: 'Hello.', attempt: 1 });
    expect(runner.isRunning(id)).toBe(false);
    expect(published()).toEqual([`finished ${id}`, `settled ${id}`]);
  });

  it('claims the jobs that waited before it was started', () => {
    const db = openTestDatabase();
    const id = addJob(db);
    const { runner } = startRunner({ db });
    expect(runner.isRunning(id)).toBe(true);
  });

  it('runs as many jobs at once as the setting says, and the next when one ends', async () => {
    const { db, started, job, runner } = startRunner({ concurrency: 2 });
    const ids = [addJob(db), addJob(db), addJob(db)];
    runner.wake();
    expect(started()).toEqual(ids.slice(0, 2));
    await job(ids[0]).complete();
    expect(started()).toEqual(ids);
  });

  it('follows a change of the setting at the next wake', () => {
    const settings = { concurrency: 1 };
    const { db, started, runner } = startRunner({ concurrency: () => settings.concurrency });
    const ids = [addJob(db), addJob(db), addJob(db)];
    runner.wake();
    expect(started()).toHaveLength(1);
    settings.concurrency = 3;
    runner.wake();
    expect(started()).toEqual(ids);
  });

  it('claims nothing while the queue is paused, and finishes what runs', async () => {
    const { db, started, job, runner } = startRunner();
    const [first, second] = [addJob(db), addJob(db)];
    runner.wake();
    setQueuePaused(db, true);
    await job(first).complete();
    expect(started()).toEqual([first]);
    setQueuePaused(db, false);
    runner.wake();
    expect(started()).toEqual([first, second]);
  });

  it('starts another job beside a draining one, but not beside more than maxDraining', () => {
    const { db, started, job, runner } = startRunner({ maxDraining: 1 });
    const ids = [addJob(db), addJob(db), addJob(db)];
    runner.wake();
    job(ids[0]).drain();
    expect(started()).toEqual(ids.slice(0, 2));
    job(ids[1]).drain();
    expect(started()).toEqual(ids.slice(0, 2));
  });

  it('does not start a job beside a draining one where maxDraining is 0', () => {
    const { db, started, job, runner } = startRunner({ maxDraining: 0 });
    const ids = [addJob(db), addJob(db)];
    runner.wake();
    job(ids[0]).drain();
    expect(started()).toEqual([ids[0]]);
  });
});

describe('progress', () => {
  it('is stored and published at once when the stage changes', () => {
    const { db, job, runner, progress } = startRunner();
    const id = addJob(db);
    runner.wake();
    job(id).report(progressAt(2, 'downloading'));
    job(id).report(progressAt(10));
    expect(transcriptIn(db, id)).toMatchObject({ stage: 'transcribing', percent: 10 });
    expect(progress().map(({ percent }) => percent)).toEqual([2, 10]);
  });

  it('is throttled to four times a second within a stage, and the last value is published', async () => {
    const { clock, db, job, runner, progress } = startRunner();
    const id = addJob(db);
    runner.wake();
    await clock.advance(1000);
    for (let percent = 1; percent <= 100; percent++) {
      job(id).report(progressAt(percent));
      await clock.advance(10);
    }
    await clock.advance(1000);
    expect(progress()[0]?.percent).toBe(1);
    expect(progress().length).toBeLessThanOrEqual(6);
    expect(progress().at(-1)?.percent).toBe(100);
    expect(transcriptIn(db, id).percent).toBe(100);
  });

  it('does not wait for the disk', () => {
    const { db, job, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    const transaction = vi.spyOn(db, 'transaction');
    job(id).report(progressAt(10));
    // The second one is a savepoint of the first.
    expect(transaction.mock.calls.map(([, purpose]) => purpose)).toEqual(['progress', undefined]);
  });

  it('never goes back', async () => {
    const { clock, db, job, runner, progress } = startRunner();
    const id = addJob(db);
    runner.wake();
    for (const percent of [30, 20, 40]) {
      job(id).report(progressAt(percent));
      await clock.advance(1000);
    }
    expect(progress().map(({ percent }) => percent)).toEqual([30, 30, 40]);
  });

  it('has segments at once, with the id of the first', async () => {
    const { db, events, job, runner } = startRunner();
    const seen: unknown[] = [];
    events.on('progress', ({ segments, from }) => seen.push([from, segments.map(({ id }) => id)]));
    const id = addJob(db);
    runner.wake();
    job(id).save([segment(0), segment(1)]);
    job(id).save([segment(2)]);
    job(id).report(progressAt(50));
    expect(seen).toEqual([
      [0, [0, 1]],
      [2, [2]],
      [3, []],
    ]);
  });

  it('is not published after the job was deleted', async () => {
    const { db, job, runner, progress } = startRunner();
    const id = addJob(db);
    runner.wake();
    deleteTranscript(db, 'usr_1', id);
    job(id).report(progressAt(50));
    expect(progress()).toEqual([]);
  });

  it('that comes too late is dropped with its timer', async () => {
    const { clock, db, job, runner, progress } = startRunner();
    const id = addJob(db);
    runner.wake();
    job(id).report(progressAt(10));
    job(id).report(progressAt(11));
    await job(id).complete();
    await clock.advance(1000);
    expect(progress().map(({ percent }) => percent)).toEqual([10]);
    expect(clock.timers).toBe(0);
  });

  it('is known while it runs, and the queue position while it waits', () => {
    const { db, job, runner } = startRunner();
    const [first, second, third] = [addJob(db), addJob(db), addJob(db)];
    runner.wake();
    job(first).report({ stage: 'transcribing', percent: 50, etaSeconds: 12, speed: 3 });
    expect(runner.live(first)).toEqual({ queuePosition: null, etaSeconds: 12, speed: 3 });
    expect([second, third].map((id) => runner.live(id).queuePosition)).toEqual([1, 2]);
    expect(runner.live('none').queuePosition).toBeNull();
  });
});
