import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../../../electron/core/engines/worker/host.ts';

describe('Semaphore', () => {
  it('grants its permits in order of arrival', async () => {
    const semaphore = new Semaphore(2);
    const first = await semaphore.acquire();
    const second = await semaphore.acquire();
    const order: string[] = [];
    const third = semaphore.acquire().then((release) => {
      order.push('third');
      return release;
    });
    const fourth = semaphore.acquire().then((release) => {
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
    const running = await semaphore.acquire();
    const order: string[] = [];
    const exclusive = semaphore.acquire({ exclusive: true }).then((release) => {
      order.push('exclusive');
      return release;
    });
    const next = semaphore.acquire().then((release) => {
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
    const running = await semaphore.acquire();
    const controller = new AbortController();
    const waiting = semaphore.acquire({}, controller.signal);
    const next = semaphore.acquire();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    running();
    (await next)();
    expect(semaphore.isIdle).toBe(true);
    await expect(semaphore.acquire({}, controller.signal)).rejects.toThrow('enough');
  });

  it('runs an urgent task beside others and before those that wait, who get their permits the later', async () => {
    const semaphore = new Semaphore(1);
    const running = await semaphore.acquire();
    const order: string[] = [];
    const waiting = semaphore.acquire().then((release) => {
      order.push('waiting');
      return release;
    });
    const urgent = await semaphore.acquire({ urgent: true });
    const second = semaphore.acquire({ urgent: true }).then((release) => {
      order.push('second urgent');
      return release;
    });
    running();
    await Promise.resolve();
    expect(order).toEqual([]);
    urgent();
    (await second)();
    (await waiting)();
    expect(order).toEqual(['second urgent', 'waiting']);
    expect(semaphore.isIdle).toBe(true);
  });

  it('lets an urgent task wait for an exclusive one', async () => {
    const semaphore = new Semaphore(2);
    const exclusive = await semaphore.acquire({ exclusive: true });
    let isGranted = false;
    const urgent = semaphore.acquire({ urgent: true }).then((release) => {
      isGranted = true;
      return release;
    });
    await Promise.resolve();
    expect(isGranted).toBe(false);
    exclusive();
    (await urgent)();
    expect(semaphore.isIdle).toBe(true);
  });
});
