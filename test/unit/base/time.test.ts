import { describe, expect, it } from 'vitest';
import {
  formatClock,
  formatLongClock,
  formatMinutes,
  formatTenths,
  formatTimestamp,
} from '../../../electron/core/base/time.ts';

describe('times as text', () => {
  it.each([
    [0, '0:00', '00:00:00', '00:00', '00:00.0'],
    [65.96, '1:05', '00:01:05', '01:06', '01:06.0'],
    [83.44, '1:23', '00:01:23', '01:23', '01:23.4'],
    [4504, '1:15:04', '01:15:04', '75:04', '1:15:04.0'],
    [360_000, '100:00:00', '100:00:00', '6000:00', '100:00:00.0'],
  ])('%d s', (seconds, clock, long, minutes, tenths) => {
    expect(formatClock(seconds)).toBe(clock);
    expect(formatLongClock(seconds)).toBe(long);
    expect(formatMinutes(seconds)).toBe(minutes);
    expect(formatTenths(seconds)).toBe(tenths);
  });

  it('has milliseconds in subtitles', () => {
    expect(formatTimestamp(3_723_456, ',')).toBe('01:02:03,456');
    expect(formatTimestamp(5, '.')).toBe('00:00:00.005');
  });
});
