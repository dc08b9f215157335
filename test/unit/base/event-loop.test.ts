import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPace } from '../../../electron/core/base/event-loop.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a pace rests for as long as the work since the last rest took', async () => {
  const pace = createPace();
  vi.advanceTimersByTime(10);
  await pace();
  vi.advanceTimersByTime(90);
  let isRested = false;
  const rest = pace().then(() => {
    isRested = true;
  });
  await vi.advanceTimersByTimeAsync(99);
  expect(isRested).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isRested).toBe(true);
  await rest;
  // The rest itself is no work.
  await pace();
});

it('a pace may rest after each step, however short', async () => {
  const pace = createPace(0);
  vi.advanceTimersByTime(3);
  let isRested = false;
  const rest = pace().then(() => {
    isRested = true;
  });
  await vi.advanceTimersByTimeAsync(2);
  expect(isRested).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isRested).toBe(true);
  await rest;
});
