import { describe, expect, it } from 'vitest';
import { Slots } from '../../../../electron/core/engines/whisper/slots.ts';

describe('slots', () => {
  it('let as many in as there are, in order', async () => {
    const slots = new Slots(2);
    const first = await slots.take(false);
    const second = await slots.take(false);
    const order: string[] = [];
    const third = slots.take(false).then((release) => {
      order.push('third');
      return release;
    });
    const fourth = slots.take(false).then((release) => {
      order.push('fourth');
      return release;
    });
    second();
    second();
    (await third)();
    first();
    (await fourth)();
    expect(order).toEqual(['third', 'fourth']);
    expect(slots.idle).toBe(true);
  });

  it('give one that wants to be alone all of them, and nobody passes it', async () => {
    const slots = new Slots(2);
    const running = await slots.take(false);
    const order: string[] = [];
    const alone = slots.take(true).then((release) => {
      order.push('alone');
      return release;
    });
    const behind = slots.take(false).then((release) => {
      order.push('behind');
      return release;
    });
    running();
    const release = await alone;
    await Promise.resolve();
    expect(order).toEqual(['alone']);
    release();
    (await behind)();
    expect(order).toEqual(['alone', 'behind']);
  });

  it('let one that gave up go, and those behind it in', async () => {
    const slots = new Slots(1);
    const running = await slots.take(false);
    const controller = new AbortController();
    const waiting = slots.take(false, controller.signal);
    const behind = slots.take(false);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    running();
    (await behind)();
    expect(slots.idle).toBe(true);
    await expect(slots.take(false, controller.signal)).rejects.toThrow('enough');
  });
});
