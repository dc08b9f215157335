import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../electron/contract/client.ts';
import { ERROR_STATUS, JOB_ERROR_CODES } from '../../../electron/contract/errors.ts';
import { describeError, describeJobError } from '../../../renderer/api/errors.ts';
import { shownName, speakerIndex, speakerInitial } from '../../../renderer/domain/speakers.ts';
import english from '../../../renderer/i18n/messages/en.json' with { type: 'json' };
import {
  formatClock,
  formatDuration,
  formatLanguageShares,
  formatLanguages,
  formatList,
  formatRelativeDay,
  parseClock,
} from '../../../renderer/lib/format.ts';
import { normalizePeaks, resamplePeaks } from '../../../renderer/lib/peaks.ts';

describe('clock and date formats', () => {
  it('formats and parses clock times', () => {
    expect([0, 139, 4448].map((seconds) => formatClock(seconds))).toEqual(['0:00', '2:19', '1:14:08']);
    expect(formatClock(724, true)).toBe('00:12:04');
    expect(['2:19', '1:14:08', '8.5', '8,5'].map(parseClock)).toEqual([139, 4448, 8.5, 8.5]);
    expect(['', 'x', '1:2:3:4', '-5'].map(parseClock)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('joins names as each language does', () => {
    const names = ['English', 'French', 'German'];
    expect(formatList(names, 'en-US')).toBe('English, French, and German');
    expect(formatList(names, 'de')).toBe('English, French und German');
  });

  it('shortens dates relative to now', () => {
    const now = new Date('2026-11-20T18:00:00');
    expect(formatRelativeDay('2026-11-20T14:02:00', 'en-GB', now)).toBe('Today, 14:02');
    expect(formatRelativeDay('2026-11-19T23:59:00', 'en-GB', now)).toBe('Yesterday');
    expect(formatRelativeDay('2026-11-18T12:00:00', 'en-GB', now)).toBe('18 Nov');
    expect(formatRelativeDay('2025-11-18T12:00:00', 'de', now)).toBe('18. Nov. 2025');
    expect(formatDuration(480, 'en')).toBe('8 min');
  });
});

describe('describeError', () => {
  const translateTo = (language: 'en' | 'de') => Object.assign((key: string) => key, { language });
  const body = { success: false as const, error: 'The disk has 3 bytes left.', request_id: '' };

  it('begins languages with a capital only where they begin a text', () => {
    expect(formatLanguages(['en', 'de'], 'fr')).toBe('Anglais, allemand');
    expect(formatLanguages(['en', 'de'], 'de')).toBe('Englisch, Deutsch');
    const shares = [
      { language: 'en', share: 0.62 },
      { language: 'de', share: 0.38 },
    ];
    expect(formatLanguageShares(shares, 'en')).toBe('English 62%, German 38%');
    expect(formatLanguageShares(shares, 'es').replace(/\s/g, ' ')).toBe('Inglés 62 %, alemán 38 %');
  });

  it('uses the server’s message in English and a translation of the code in other languages', () => {
    const diskFull = new ApiError(507, { ...body, code: 'disk_full' });
    expect(describeError(diskFull, translateTo('en'))).toBe('The disk has 3 bytes left.');
    expect(describeError(diskFull, translateTo('de'))).toBe('error.code.disk_full');
    expect(describeError(new ApiError(500, { ...body, code: 'new_one' }), translateTo('de'))).toBe(
      body.error,
    );
    expect(describeError(new TypeError('fetch failed'), translateTo('de'))).toBe('error.unreachable');
  });

  it('does not repeat details that the message contains', () => {
    const detail = { path: 'limit', message: 'Too big.' };
    const badRequest = new ApiError(400, {
      ...body,
      error: 'Not valid: limit: Too big.',
      code: 'invalid_request',
      details: [detail],
    });
    expect(describeError(badRequest, translateTo('en'))).toBe('Not valid: limit: Too big.');
    expect(describeError(badRequest, translateTo('de'))).toBe('error.code.invalid_request Too big.');
  });

  it('has a message for each error code of the contract', () => {
    const keys = new Set(Object.keys(english));
    const codes = [...Object.keys(ERROR_STATUS), ...JOB_ERROR_CODES];
    expect(codes.filter((code) => !keys.has(`error.code.${code}`))).toEqual([]);
  });

  it('describes why a job failed', () => {
    const notFound = {
      code: 'download_failed',
      message: 'The server answered 404.',
      stage: 'downloading',
    } as const;
    expect(describeJobError(notFound, translateTo('en'))).toBe('The server answered 404.');
    expect(describeJobError(notFound, translateTo('de'))).toBe('error.code.download_failed');
    expect(describeJobError(undefined, translateTo('de'))).toBe('library.failedUnknown');
  });
});

describe('waveform', () => {
  it('keeps the shape and short peaks, and leaves silence flat', () => {
    const peaks = new Float32Array(100).fill(0.2);
    peaks[10] = 1;
    const bars = resamplePeaks(peaks, 10);
    expect(bars[1]).toBeGreaterThan(bars[5] ?? 0);
    expect(Math.max(...normalizePeaks(bars))).toBe(1);
    expect(Math.max(...normalizePeaks(new Float32Array(10)))).toBe(0);
  });

  it('converts speaker letters to indexes', () => {
    expect(['A', 'B', 'Z', 'AA'].map(speakerIndex)).toEqual([0, 1, 25, 26]);
  });

  it('stands for a speaker with the beginning of the name', () => {
    const names = ['Speaker A', 'Speaker AB', 'Peter', ' łukasz', '田中', '👩‍🚀 Mae', 'Speaker phone', ''];
    expect(names.map(speakerInitial)).toEqual(['A', 'AB', 'P', 'Ł', '田', '👩‍🚀', 'S', '']);
    const translate = Object.assign((key: string) => key, { language: 'de' } as const);
    const shown = ['Speaker B', 'Peter'].map((name) => shownName(name, translate));
    expect(shown).toEqual(['speaker.unnamed', 'Peter']);
  });
});
