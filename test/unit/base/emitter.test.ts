import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../electron/core/base/emitter.ts';

describe('an emitter', () => {
  it('calls the listeners of an event in the order in which they subscribed', () => {
    const emitter = new Emitter<{ one: number; two: string }>();
    const calls: string[] = [];
    emitter.on('one', (event) => calls.push(`first ${event}`));
    emitter.on('one', (event) => calls.push(`second ${event}`));
    emitter.on('two', (event) => calls.push(event));
    emitter.emit('one', 1);
    expect(calls).toEqual(['first 1', 'second 1']);
  });

  it('no longer calls a listener that unsubscribed, also while it emits', () => {
    const emitter = new Emitter<{ one: number }>();
    const calls: number[] = [];
    const unsubscribe = emitter.on('one', (event) => {
      calls.push(event);
      unsubscribe();
    });
    emitter.on('one', (event) => calls.push(event * 10));
    emitter.emit('one', 1);
    emitter.emit('one', 2);
    expect(calls).toEqual([1, 10, 20]);
  });
});
