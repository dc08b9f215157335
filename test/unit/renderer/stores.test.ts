import { describe, expect, it } from 'vitest';
import { tokenFromHash, toSameOrigin } from '../../../renderer/api/session.ts';
import { dayOf, periodOf } from '../../../renderer/features/library/periods.ts';
import { NO_FILTER, toListQuery } from '../../../renderer/stores/library.ts';
import { hrefOf, parseRoute, storedInHash } from '../../../renderer/stores/router.ts';

describe('library filter', () => {
  const now = new Date('2026-03-03T09:00:00');

  it('recognizes named periods, across the end of a month', () => {
    expect([dayOf(0, now), dayOf(6, now)]).toEqual(['2026-03-03', '2026-02-25']);
    expect(periodOf(undefined, undefined)).toBe('any');
    expect(periodOf('2026-02-25', undefined, now)).toBe('week');
    expect(periodOf('2026-02-25', '2026-03-01', now)).toBe('own');
    expect(periodOf('2026-02-24', undefined, now)).toBe('own');
  });

  it('queries whole days in local time and omits unset filters', () => {
    const plain = { ...NO_FILTER, sort: 'created_at', order: 'desc' } as const;
    expect(toListQuery(plain)).toEqual({ sort: 'created_at', order: 'desc' });
    const day = toListQuery({ ...plain, from: '2026-03-01', to: '2026-03-01' });
    const hours = Date.parse(day.created_to ?? '') - Date.parse(day.created_from ?? '');
    expect(hours).toBe(24 * 3_600_000);
    expect(new Date(day.created_from ?? '').getHours()).toBe(0);
    expect(toListQuery({ ...plain, from: 'nonsense' })).toEqual({ sort: 'created_at', order: 'desc' });
  });
});

describe('routes', () => {
  it.each(['#/', '#/transcript/tr_1?t=12.504', '#/files/a%2Fb', '#/settings/network', '#/models'])(
    '%s',
    (hash) => {
      expect(hrefOf(parseRoute(hash))).toBe(hash);
    },
  );

  it('falls back to the library', () => {
    expect(parseRoute('#/nowhere')).toEqual({ screen: 'library' });
  });

  it('reads a token or a stored file from the hash', () => {
    expect(tokenFromHash('#token=a%2Bb')).toBe('a+b');
    expect(tokenFromHash('#/')).toBeUndefined();
    expect(storedInHash('#/new?stored=%2Fusr%2Fa.mp3&name=a.mp3')).toEqual({
      key: '/usr/a.mp3',
      name: 'a.mp3',
    });
    expect(storedInHash('#/models')).toBeUndefined();
  });

  it('moves URLs to the origin of the page', () => {
    expect(toSameOrigin('http://127.0.0.1:3277/v1/a?x=1', 'http://localhost:3277')).toBe(
      'http://localhost:3277/v1/a?x=1',
    );
  });
});
