import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StallTimer } from '../../../../electron/core/engines/ffmpeg/stall-timer.ts';

describe('StallTimer', () => {
  let wall: number;
  let stalls: number;
  let timer: StallTimer;

  const pass = (seconds: number): void => {
    wall += seconds * 1000;
    vi.advanceTimersByTime(seconds * 1000);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    wall = 0;
    stalls = 0;
    timer = new StallTimer(
      10,
      () => stalls++,
      () => wall,
    );
  });

  afterEach(() => {
    timer.pause();
    vi.useRealTimers();
  });

  it('fires once without a touch, and not while it is touched', () => {
    timer.resume();
    pass(9);
    timer.touch();
    pass(9);
    expect(stalls).toBe(0);
    pass(2);
    pass(30);
    expect(stalls).toBe(1);
  });

  it('does not run while paused, even if touched', () => {
    timer.resume();
    timer.pause();
    timer.touch();
    pass(60);
    expect(stalls).toBe(0);
    timer.resume();
    pass(11);
    expect(stalls).toBe(1);
  });

  it('does not take a sleep of the machine for a stall, and restarts after it', () => {
    timer.resume();
    wall += 8 * 3600 * 1000;
    pass(10);
    expect(stalls).toBe(0);
    pass(10);
    expect(stalls).toBe(1);
  });
});
