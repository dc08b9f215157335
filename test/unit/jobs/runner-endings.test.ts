import { describe, expect, it } from 'vitest';
import { AppError } from '../../../electron/core/base/errors.ts';
import { MAX_APP_CRASHES_PER_JOB, MIN_APP_CRASHES_TO_DEFER } from '../../../electron/core/jobs/runner.ts';
import { claimNext, listRunning, listWaiting } from '../../../electron/core/stores/jobs.ts';
import { insertSegments, readSegments } from '../../../electron/core/stores/segments.ts';
import { updateTranscript } from '../../../electron/core/stores/transcripts.ts';
import { addJob, openTestDatabase, transcriptIn } from '../../support/database.ts';
import { settled } from '../../support/fake-clock.ts';
import { segment, startRunner } from './support/runner.ts';

const progressAt = (percent: number, stage: 'downloading' | 'transcribing' = 'transcribing') => ({
  stage,
  percent,
  etaSeconds: null,
  speed: null,
});

describe('failure', () => {
  it('stores the code, message and stage of an AppError', async () => {
    const { clock, db, job, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    job(id).report(progressAt(20));
    await job(id).fail(new AppError('decode_failed', 'The file is broken.'));
    expect(transcriptIn(db, id)).toMatchObject({
      status: 'failed',
      lease: null,
      completedAt: clock.now(),
      error: { code: 'decode_failed', message: 'The file is broken.', stage: 'transcribing' },
    });
  });

  it('hides the words of an unexpected error, and logs its stack', async () => {
    const { db, job, logged, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    await job(id).fail(new TypeError('secret detail'));
    const { error } = transcriptIn(db, id);
    expect(error?.code).toBe('internal_error');
    expect(error?.message).not.toContain('secret');
    expect(logged('error').map(({ fields }) => String(fields.stack))).toEqual([
      expect.stringContaining('secret detail'),
    ]);
  });

  it('does not keep the next job from running', async () => {
    const { db, job, runner, started } = startRunner();
    const ids = [addJob(db), addJob(db)];
    runner.wake();
    await job(ids[0]).fail(new Error('no'));
    expect(started()).toEqual(ids);
  });

  it('drops text that was to be redacted', async () => {
    const { db, job, runner } = startRunner();
    const id = addJob(db, 'usr_1', {}, { redact_pii: true });
    insertSegments(db, id, 0, [segment(0)]);
    runner.wake();
    await job(id).fail(new AppError('decode_failed', 'The file is broken.'));
    expect(readSegments(db, id)).toEqual([]);
  });

  it.each([
    [true, 'redacted'],
    [false, 'a.wav'],
  ])('redacts the name of what was to be redacted: %s', async (redact_names, name) => {
    const { db, job, runner } = startRunner();
    const id = addJob(db, 'usr_1', {}, { redact_pii: true, redact_names, prompt: 'Maria Lopez' });
    runner.wake();
    await job(id).fail(new AppError('decode_failed', 'The file is broken.'));
    expect(transcriptIn(db, id)).toMatchObject({ status: 'failed', name });
    expect(transcriptIn(db, id).options.prompt).toBeUndefined();
  });
});

describe('a full disk', () => {
  it('keeps the end of a job until there is room, and tries every two seconds', async () => {
    const { clock, db, job, runner, disk, published } = startRunner();
    const id = addJob(db);
    runner.wake();
    disk.isFull = true;
    await job(id).fail(new AppError('decode_failed', 'The file is broken.'));
    await clock.advance(10_000);
    expect(transcriptIn(db, id).status).toBe('processing');
    disk.isFull = false;
    await clock.advance(2000);
    expect(transcriptIn(db, id)).toMatchObject({ status: 'failed', error: { code: 'decode_failed' } });
    expect(published()).toEqual([`finished ${id}`, `settled ${id}`]);
  });

  it('does not fail a job that reports progress', () => {
    const { db, job, runner, disk } = startRunner();
    const id = addJob(db);
    runner.wake();
    disk.isFull = true;
    expect(() => job(id).report(progressAt(50))).not.toThrow();
    expect(runner.isRunning(id)).toBe(true);
  });

  it('defers the claim of the next job until there is room', async () => {
    const { clock, db, runner, disk, started } = startRunner();
    const id = addJob(db);
    disk.isFull = true;
    runner.wake();
    expect(started()).toEqual([]);
    disk.isFull = false;
    await clock.advance(2000);
    expect(started()).toEqual([id]);
  });

  it('does not keep the program from closing', async () => {
    const { db, job, runner, disk } = startRunner();
    const id = addJob(db);
    runner.wake();
    disk.isFull = true;
    const failed = job(id).fail(new AppError('decode_failed', 'The file is broken.'));
    await settled();
    await runner.close();
    await failed;
    disk.isFull = false;
    expect(transcriptIn(db, id)).toMatchObject({ status: 'processing' });
  });
});

describe('stopping a job', () => {
  it('cancels it: aborts the work, waits for it and keeps what it saved', async () => {
    const { db, job, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    insertSegments(db, id, 0, [segment(0)]);
    const stopped = runner.stop(id, 'cancelled');
    expect(job(id).signal.reason).toBe('cancelled');
    expect(runner.isRunning(id)).toBe(true);
    await job(id).fail(job(id).signal.reason);
    await stopped;
    expect(transcriptIn(db, id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    expect(readSegments(db, id)).toHaveLength(1);
  });

  it('cancels it whatever error the abort causes', async () => {
    const { db, job, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    void runner.stop(id, 'cancelled');
    await job(id).fail(new AppError('decode_failed', 'ffmpeg was killed.'));
    expect(transcriptIn(db, id).error?.code).toBe('cancelled');
  });

  it('completes it where it was done before it noticed', async () => {
    const { db, job, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    void runner.stop(id, 'cancelled');
    await job(id).complete('Done.');
    expect(transcriptIn(db, id)).toMatchObject({ status: 'completed', text: 'Done.' });
  });

  it('writes nothing to a deleted one', async () => {
    const { db, job, runner, published } = startRunner();
    const id = addJob(db);
    runner.wake();
    const stopped = runner.stop(id, 'deleted');
    await job(id).fail(job(id).signal.reason);
    await stopped;
    expect(transcriptIn(db, id).status).toBe('processing');
    expect(published()).toEqual([`settled ${id}`]);
  });

  it('returns at once for a job that does not run', async () => {
    const { db, runner } = startRunner({ concurrency: 0 });
    await expect(runner.stop(addJob(db), 'cancelled')).resolves.toBeUndefined();
  });
});

describe('closing', () => {
  it('aborts the running jobs and returns them to the queue, without counting a crash', async () => {
    const { db, job, runner, started } = startRunner({ concurrency: 2 });
    const ids = [addJob(db), addJob(db), addJob(db)];
    runner.wake();
    const closed = runner.close();
    for (const id of ids.slice(0, 2)) await job(id).fail(job(id).signal.reason);
    await closed;
    expect(started()).toEqual(ids.slice(0, 2));
    expect(listRunning(db)).toEqual([]);
    expect(
      listWaiting(db)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    const next = startRunner({ db, lease: 'next-run', concurrency: 3 });
    expect(next.started().toSorted()).toEqual(ids.toSorted());
    expect(ids.map((id) => transcriptIn(db, id).appCrashes)).toEqual([0, 0, 0]);
  });

  it('releases those who wait for a job', async () => {
    const { db, runner } = startRunner({ concurrency: 0 });
    const waited = runner.waitFor(addJob(db), new AbortController().signal);
    await runner.close();
    await expect(waited).resolves.toBeUndefined();
  });

  it('claims nothing any more', async () => {
    const { db, runner, started } = startRunner();
    await runner.close();
    addJob(db);
    runner.wake();
    expect(started()).toEqual([]);
  });
});

describe('an earlier attempt', () => {
  it('can no longer change the job, nor publish its end', async () => {
    const { db, job, runner, published } = startRunner();
    const id = addJob(db);
    runner.wake();
    // As another process does after it found the lease of a run that it takes for dead.
    updateTranscript(db, id, { lease: null });
    claimNext(db, 'another-run', 1);
    job(id).report(progressAt(90));
    await job(id).fail(new AppError('decode_failed', 'late'));
    expect(transcriptIn(db, id)).toMatchObject({ status: 'processing', attempt: 2, percent: 0, error: null });
    expect(published()).toEqual([`settled ${id}`]);
  });

  it('does not publish the end of the later attempt that completed the job', async () => {
    const { db, job, runner, published } = startRunner();
    const id = addJob(db);
    runner.wake();
    updateTranscript(db, id, { lease: null });
    claimNext(db, 'another-run', 1);
    updateTranscript(db, id, { status: 'completed', lease: null });
    await job(id).fail(new AppError('decode_failed', 'late'));
    expect(transcriptIn(db, id).status).toBe('completed');
    expect(published()).toEqual([`settled ${id}`]);
  });
});

describe('waitFor', () => {
  it('resolves when the job is settled', async () => {
    const { db, job, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    let isOver = false;
    const waited = runner.waitFor(id, new AbortController().signal).then(() => {
      isOver = true;
    });
    await settled();
    expect(isOver).toBe(false);
    await job(id).complete();
    await waited;
  });

  it.each(['completed', 'failed'] as const)('resolves at once for a %s transcript', async (status) => {
    const { db, runner } = startRunner({ concurrency: 0 });
    const id = addJob(db, 'usr_1', { status });
    await expect(runner.waitFor(id, new AbortController().signal)).resolves.toBeUndefined();
    await expect(runner.waitFor('none', new AbortController().signal)).resolves.toBeUndefined();
  });

  it('resolves when its signal fires, and leaves the job alone', async () => {
    const { db, runner } = startRunner();
    const id = addJob(db);
    runner.wake();
    const client = new AbortController();
    const waited = runner.waitFor(id, client.signal);
    client.abort();
    await waited;
    expect(runner.isRunning(id)).toBe(true);
  });
});

describe('crashes of the program', () => {
  /** A job with that many crashes that the run before has left behind. */
  const crashedJob = (crashes: number, request = {}) => {
    const db = openTestDatabase();
    const id = addJob(db, 'usr_1', { appCrashes: crashes - 1 }, request);
    claimNext(db, 'crashed-run', 1);
    return { db, id };
  };

  it('are counted, and the job resumes at once after the first ones', () => {
    const { db, id } = crashedJob(MIN_APP_CRASHES_TO_DEFER - 1);
    const { started } = startRunner({ db });
    expect(started()).toEqual([id]);
    expect(transcriptIn(db, id)).toMatchObject({ appCrashes: MIN_APP_CRASHES_TO_DEFER - 1, attempt: 2 });
  });

  it.each([
    [3, 1000],
    [4, 2000],
    [5, 4000],
    [9, 64_000],
  ])('defer the job from the third on: after %i, by %i ms', async (crashes, cooldown) => {
    const { db, id } = crashedJob(crashes);
    const { clock, started } = startRunner({ db });
    await clock.advance(cooldown - 1);
    expect(started()).toEqual([]);
    await clock.advance(1);
    expect(started()).toEqual([id]);
  });

  it('do not keep other jobs from running meanwhile', () => {
    const { db } = crashedJob(3);
    const other = addJob(db, 'usr_2');
    expect(startRunner({ db }).started()).toEqual([other]);
  });

  it('fail the job at the tenth, keep its text and start counting anew', () => {
    const { db, id } = crashedJob(MAX_APP_CRASHES_PER_JOB);
    insertSegments(db, id, 0, [segment(0)]);
    const { started } = startRunner({ db });
    expect(started()).toEqual([]);
    expect(transcriptIn(db, id)).toMatchObject({
      status: 'failed',
      lease: null,
      appCrashes: 0,
      error: { code: 'interrupted', message: expect.stringContaining('10 times in a row') },
    });
    expect(readSegments(db, id)).toHaveLength(1);
  });

  it('fail the job at the tenth and drop text that was to be redacted', () => {
    const { db, id } = crashedJob(MAX_APP_CRASHES_PER_JOB, { redact_pii: true });
    insertSegments(db, id, 0, [segment(0)]);
    startRunner({ db });
    expect(transcriptIn(db, id)).toMatchObject({ status: 'failed', name: 'recording' });
    expect(readSegments(db, id)).toEqual([]);
  });

  it('do not start a deferred job after the runner is closed', async () => {
    const { db } = crashedJob(3);
    const { clock, runner, started } = startRunner({ db });
    await runner.close();
    await clock.advance(10_000);
    expect(started()).toEqual([]);
  });
});
