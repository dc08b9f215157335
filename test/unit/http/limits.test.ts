import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../electron/core/base/errors.ts';
import { WrongKeys } from '../../../electron/core/http/guards.ts';
import { limitStore } from '../../../electron/core/http/limits.ts';
import { FakeClock } from '../../support/fake-clock.ts';

describe('the windows of the rate limits', () => {
  const open = (clock: FakeClock) => {
    const store = new (limitStore(clock))({});
    return (key: string) => {
      let counted: { current: number; ttl: number } | undefined;
      store.incr(
        key,
        (_error, result) => {
          counted = result;
        },
        60_000,
        3,
      );
      return counted;
    };
  };

  it('open again after their time, whatever the wall clock does', async () => {
    const clock = new FakeClock();
    const count = open(clock);
    expect(count('maria')).toEqual({ current: 1, ttl: 60_000 });
    await clock.advance(59_000);
    clock.jump(-3600_000);
    expect(count('maria')).toEqual({ current: 2, ttl: 1000 });
    expect(count('other')).toEqual({ current: 1, ttl: 60_000 });
    await clock.advance(1000);
    expect(count('maria')).toEqual({ current: 1, ttl: 60_000 });
  });
});

describe('wrong API keys', () => {
  const attempt = (wrongKeys: WrongKeys, address: string, key: string): number => {
    try {
      wrongKeys.count(address, key);
      return 0;
    } catch (error) {
      if (!isAppError(error)) throw error;
      expect(error.code).toBe('rate_limited');
      return Number(error.headers['retry-after']);
    }
  };

  it('wait longer and longer, by address', async () => {
    const clock = new FakeClock();
    const wrongKeys = new WrongKeys(clock);
    const first = Array.from({ length: 700 }, (_, i) => attempt(wrongKeys, 'a', `wrong ${i}`));
    expect(first.filter((seconds) => seconds === 0)).toHaveLength(20);
    expect(attempt(wrongKeys, 'b', 'wrong')).toBe(0);
    const waits: number[] = [];
    for (let i = 0; i < 12; i++) {
      const seconds = attempt(wrongKeys, 'a', `next ${i}`);
      waits.push(seconds);
      await clock.advance(seconds * 1000);
      expect(attempt(wrongKeys, 'a', `next ${i}`)).toBe(0);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    clock.jump(-24 * 3600_000);
    await clock.advance(3600_000);
    expect(attempt(wrongKeys, 'a', 'an hour later')).toBe(0);
    expect(attempt(wrongKeys, 'a', 'and another')).toBe(0);
  });

  it('count once each', () => {
    const wrongKeys = new WrongKeys(new FakeClock());
    for (let i = 0; i < 700; i++) expect(attempt(wrongKeys, 'a', 'outdated')).toBe(0);
  });
});
