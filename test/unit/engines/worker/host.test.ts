import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { WorkerHost, type WorkerHostOptions } from '../../../../electron/core/engines/worker/host.ts';
import type { TaskDefinition } from '../../../../electron/core/engines/worker/protocol.ts';
import { FakeProcess } from './support/fake-process.ts';

const lengthTask: TaskDefinition<'length', string, number, { percent: number }> = {
  kind: 'length',
  result: z.number(),
  event: z.object({ percent: z.number() }),
};

let processes: FakeProcess[];
let host: WorkerHost;

const create = (options: Partial<WorkerHostOptions> = {}): void => {
  processes = [];
  const fork = () => {
    const process = new FakeProcess(processes.length + 1);
    processes.push(process);
    return process;
  };
  host = new WorkerHost({ fork, concurrency: 2, ...options });
};

const processAt = (index: number): FakeProcess => {
  const process = processes[index];
  if (!process) throw new Error(`There is no process ${index}.`);
  return process;
};

/** Lets promises settle without advancing the clock. */
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  create();
});
afterEach(() => vi.useRealTimers());

describe('WorkerHost', () => {
  it('starts one process for the first task and keeps it for the next', async () => {
    expect(host.pid).toBeUndefined();
    const first = host.run(lengthTask, 'one');
    await settle();
    processAt(0).done(1, 3);
    expect(await first).toBe(3);
    const second = host.run(lengthTask, 'three');
    await settle();
    processAt(0).done(2, 5);
    expect(await second).toBe(5);
    expect(processes).toHaveLength(1);
    expect(processAt(0).sent[0]).toEqual({ type: 'run', id: 1, kind: 'length', input: 'one' });
  });

  it('runs as many tasks at once as its concurrency, and an exclusive one alone', async () => {
    const tasks = ['a', 'b'].map((input) => host.run(lengthTask, input));
    const exclusive = host.run(lengthTask, 'c', { exclusive: true });
    const last = host.run(lengthTask, 'd');
    await settle();
    expect(processAt(0).started).toEqual([1, 2]);
    processAt(0).done(1, 1);
    await settle();
    expect(processAt(0).started).toEqual([1, 2]);
    processAt(0).done(2, 1);
    await Promise.all(tasks);
    await settle();
    expect(processAt(0).started).toEqual([1, 2, 3]);
    processAt(0).done(3, 1);
    await exclusive;
    await settle();
    processAt(0).done(4, 1);
    await last;
  });

  it('passes events on, and drops malformed ones', async () => {
    const events: number[] = [];
    const task = host.run(lengthTask, 'one', { onEvent: ({ percent }) => events.push(percent) });
    await settle();
    processAt(0).emit({ type: 'event', id: 1, event: { percent: 50 } });
    processAt(0).emit({ type: 'event', id: 1, event: { percent: 'half' } });
    processAt(0).emit({ type: 'event', id: 7, event: { percent: 60 } });
    processAt(0).done(1, 3);
    await task;
    expect(events).toEqual([50]);
  });

  it('rejects with the error code of the worker, or internal_error for an unknown one', async () => {
    const known = host.run(lengthTask, 'a');
    const unknown = host.run(lengthTask, 'b');
    const outcomes = Promise.allSettled([known, unknown]);
    await settle();
    processAt(0).emit({ type: 'failed', id: 1, code: 'model_invalid', message: 'No.' });
    processAt(0).emit({ type: 'failed', id: 2, code: 'no_such_code', message: 'No.' });
    expect(await outcomes).toMatchObject([
      { reason: { code: 'model_invalid', message: 'No.' } },
      { reason: { code: 'internal_error' } },
    ]);
  });

  it('rejects a result that does not match its schema', async () => {
    const task = expect(host.run(lengthTask, 'a')).rejects.toBeInstanceOf(z.ZodError);
    await settle();
    processAt(0).done(1, 'three');
    await task;
  });

  it('rejects every task of a process that ends, and starts another for the next', async () => {
    const outcomes = Promise.allSettled([host.run(lengthTask, 'a'), host.run(lengthTask, 'b')]);
    await settle();
    processAt(0).stderr = 'assertion failed';
    processAt(0).exit('SIGABRT');
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        reason: { code: 'engine_crashed', cause: { message: 'SIGABRT: assertion failed' } },
      });
    }
    expect(host.pid).toBeUndefined();
    const next = host.run(lengthTask, 'c');
    await settle();
    expect(host.pid).toBe(2);
    processAt(1).done(1, 1);
    expect(await next).toBe(1);
  });

  it('kills a process that breaks the protocol', async () => {
    const task = expect(host.run(lengthTask, 'a')).rejects.toMatchObject({ code: 'engine_crashed' });
    await settle();
    processAt(0).emit({ type: 'surprise' });
    await task;
    expect(processAt(0).isKilled).toBe(true);
  });

  it('reports engine_unavailable if the engine does not load', async () => {
    const task = expect(host.run(lengthTask, 'a')).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('no such library'),
    });
    await settle();
    processAt(0).emit({ type: 'unusable', message: 'no such library' });
    await task;
  });

  it('cancels a task that stops when asked to, without harm to its process', async () => {
    const controller = new AbortController();
    const task = expect(host.run(lengthTask, 'a', { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await settle();
    controller.abort();
    expect(processAt(0).sent.at(-1)).toEqual({ type: 'abort', id: 1 });
    processAt(0).emit({ type: 'failed', id: 1, code: 'cancelled', message: 'Stopped.' });
    await task;
    await vi.advanceTimersByTimeAsync(1000);
    expect(processAt(0).isKilled).toBe(false);
  });

  it('kills the process of a task that does not stop, and restarts the other tasks', async () => {
    const controller = new AbortController();
    const stuck = expect(host.run(lengthTask, 'a', { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    const other = host.run(lengthTask, 'bb');
    await settle();
    controller.abort();
    await vi.advanceTimersByTimeAsync(899);
    expect(processAt(0).isKilled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await stuck;
    expect(processAt(0).isKilled).toBe(true);
    await settle();
    processAt(1).done(1, 2);
    expect(await other).toBe(2);
  });

  it('replaces a process in which a task makes no progress, and restarts the other tasks', async () => {
    const work = { kind: 'length small', seconds: 30 };
    const measured = host.run(lengthTask, 'a', { work });
    await vi.advanceTimersByTimeAsync(2000);
    processAt(0).done(1, 1);
    await measured;
    const hung = expect(host.run(lengthTask, 'b', { work })).rejects.toMatchObject({
      code: 'engine_crashed',
    });
    const other = host.run(lengthTask, 'cc');
    // 60 times the two seconds that the first one took.
    await vi.advanceTimersByTimeAsync(100_000);
    expect(host.isStalled).toBe(true);
    processAt(0).emit({ type: 'event', id: 2, event: { percent: 50 } });
    expect(host.isStalled).toBe(false);
    await vi.advanceTimersByTimeAsync(119_000);
    expect(processAt(0).isKilled).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    await hung;
    expect(processAt(0).isKilled).toBe(true);
    expect(host.isStalled).toBe(true);
    processAt(1).done(1, 2);
    expect(await other).toBe(2);
    expect(host.isStalled).toBe(false);
  });

  it('gives a first task time to load its model, and a short one a minute', async () => {
    const work = { kind: 'length large', seconds: 1 };
    const first = host.run(lengthTask, 'a', { work });
    await vi.advanceTimersByTimeAsync(14 * 60_000);
    expect(processAt(0).isKilled).toBe(false);
    processAt(0).done(1, 1);
    await first;
    const quick = host.run(lengthTask, 'b', { work: { ...work, kind: 'length tiny' } });
    await vi.advanceTimersByTimeAsync(10);
    processAt(0).done(2, 1);
    await quick;
    const hung = expect(
      host.run(lengthTask, 'c', { work: { ...work, kind: 'length tiny' } }),
    ).rejects.toMatchObject({ code: 'engine_crashed' });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(processAt(0).isKilled).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    await hung;
  });

  it('gives up on a task whose process was replaced three times', async () => {
    const victim = expect(host.run(lengthTask, 'a')).rejects.toMatchObject({
      code: 'engine_crashed',
      cause: { message: 'its process was replaced too often' },
    });
    for (let round = 0; round < 3; round += 1) {
      const controller = new AbortController();
      const stuck = expect(host.run(lengthTask, 'b', { signal: controller.signal })).rejects.toMatchObject({
        code: 'cancelled',
      });
      await settle();
      controller.abort();
      await vi.advanceTimersByTimeAsync(900);
      await stuck;
    }
    await victim;
    expect(processes).toHaveLength(3);
  });

  it('rejects a task that is cancelled before it starts', async () => {
    const running = [host.run(lengthTask, 'a'), host.run(lengthTask, 'b')];
    const controller = new AbortController();
    const waiting = expect(host.run(lengthTask, 'c', { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await settle();
    controller.abort();
    await waiting;
    processAt(0).done(1, 1);
    processAt(0).done(2, 1);
    await Promise.all(running);
    expect(processAt(0).started).toEqual([1, 2]);
    await expect(host.run(lengthTask, 'd', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('ends an idle process, but not before the last task of many', async () => {
    create({ idleMs: 1000 });
    const task = host.run(lengthTask, 'a');
    await settle();
    await vi.advanceTimersByTimeAsync(5000);
    expect(host.pid).toBe(1);
    processAt(0).done(1, 1);
    await task;
    await vi.advanceTimersByTimeAsync(999);
    expect(host.pid).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(host.pid).toBeUndefined();
    expect(processAt(0).sent.at(-1)).toEqual({ type: 'stop' });
  });

  it('replaces its process after a number of tasks', async () => {
    create({ tasksPerWorker: 1 });
    for (const index of [0, 1]) {
      const task = host.run(lengthTask, 'a');
      await settle();
      processAt(index).done(1, 1);
      await task;
    }
    expect(processes).toHaveLength(2);
  });

  it('interrupts its tasks when closed, and accepts no more', async () => {
    const task = expect(host.run(lengthTask, 'a')).rejects.toMatchObject({ code: 'interrupted' });
    await settle();
    await host.close();
    await task;
    expect(processAt(0).isKilled).toBe(true);
    await expect(host.run(lengthTask, 'b')).rejects.toMatchObject({ code: 'interrupted' });
  });
});
