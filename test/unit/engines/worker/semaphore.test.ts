import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../../../electron/core/engines/worker/host.ts';

describe('Semaphore', () => {
  it('grants its permits in order of arrival', async () => {
    const semaphore = new Semaphore(2);
    const first = await semaphore.acquire(false);
    const second = await semaphore.acquire(false);
    const order: string[] = [];
    const third = semaphore.acquire(false).then((release) => {
      order.push('third');
      return release;
    });
    const fourth = semaphore.acquire(false).then((release) => {
      order.push('fourth');
      return release;
    });
    second();
    second();
    (await third)();
    first();
    (await fourth)();
    expect(order).toEqual(['third', 'fourth']);
    expect(semaphore.isIdle).toBe(true);
  });

  it('grants all permits to an exclusive waiter, and lets nobody overtake it', async () => {
    const semaphore = new Semaphore(2);
    const running = await semaphore.acquire(false);
    const order: string[] = [];
    const exclusive = semaphore.acquire(true).then((release) => {
      order.push('exclusive');
      return release;
    });
    const next = semaphore.acquire(false).then((release) => {
      order.push('next');
      return release;
    });
    running();
    const release = await exclusive;
    await Promise.resolve();
    expect(order).toEqual(['exclusive']);
    release();
    (await next)();
    expect(order).toEqual(['exclusive', 'next']);
  });

  it('drops an aborted waiter and serves those behind it', async () => {
    const semaphore = new Semaphore(1);
    const running = await semaphore.acquire(false);
    const controller = new AbortController();
    const waiting = semaphore.acquire(false, controller.signal);
    const next = semaphore.acquire(false);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    running();
    (await next)();
    expect(semaphore.isIdle).toBe(true);
    await expect(semaphore.acquire(false, controller.signal)).rejects.toThrow('enough');
  });
});
