import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../electron/contract/client.ts';
import { ERROR_STATUS, JOB_ERROR_CODES } from '../../../electron/contract/errors.ts';
import { createEventParser } from '../../../electron/contract/event-stream.ts';
import { parseLiveEvent } from '../../../renderer/api/live-events.ts';
import { tokenFromHash } from '../../../renderer/api/session.ts';
import { toSameOrigin } from '../../../renderer/api/signed-url.ts';
import { parseLinks } from '../../../renderer/app/incoming-sources.tsx';
import { isScreenName } from '../../../renderer/app/screens.tsx';
import { toCurl, toRequest, WHOLE_RECORDING } from '../../../renderer/features/create/request.ts';
import { dayOf, periodOf } from '../../../renderer/features/library/periods.ts';
import { describeModel } from '../../../renderer/features/models/model-facts.ts';
import { groupByDestination } from '../../../renderer/features/settings/connections-section.tsx';
import english from '../../../renderer/i18n/messages/en.json' with { type: 'json' };
import { describeError, describeJobError } from '../../../renderer/lib/errors.ts';
import { formatClock, formatDuration, formatRelativeDay, parseClock } from '../../../renderer/lib/format.ts';
import { normalizePeaks, resamplePeaks } from '../../../renderer/lib/peaks.ts';
import { speakerIndex } from '../../../renderer/lib/speakers.ts';
import { NO_FILTER, toListQuery } from '../../../renderer/stores/library.ts';
import { TranscriptionOptions } from '../../../renderer/stores/prefs.ts';
import { hrefOf, parseRoute, storedInHash } from '../../../renderer/stores/router.ts';

describe('clock and date formats', () => {
  it('formats and parses clock times', () => {
    expect([0, 139, 4448].map((seconds) => formatClock(seconds))).toEqual(['0:00', '2:19', '1:14:08']);
    expect(formatClock(724, true)).toBe('00:12:04');
    expect(['2:19', '1:14:08', '8.5', '8,5'].map(parseClock)).toEqual([139, 4448, 8.5, 8.5]);
    expect(['', 'x', '1:2:3:4', '-5'].map(parseClock)).toEqual([undefined, undefined, undefined, undefined]);
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

describe('groupByDestination', () => {
  it('groups connections by host and purpose', () => {
    const one = { host: 'a.example', address: null, purpose: 'audio', bytes: 5, error: null } as const;
    expect(
      groupByDestination([
        { ...one, time: '2026-03-03T09:00:00.000Z' },
        { ...one, purpose: 'webhook', time: '2026-03-02T09:00:00.000Z' },
        { ...one, time: '2026-03-01T09:00:00.000Z' },
      ]),
    ).toEqual([
      { host: 'a.example', purpose: 'audio', times: 2, bytes: 10, last: '2026-03-03T09:00:00.000Z' },
      { host: 'a.example', purpose: 'webhook', times: 1, bytes: 5, last: '2026-03-02T09:00:00.000Z' },
    ]);
  });
});

describe('describeError', () => {
  const said = (language: 'en' | 'de') => Object.assign((key: string) => key, { language });
  const body = { success: false as const, error: 'The disk has 3 bytes left.', request_id: '' };

  it('uses the server’s message in English and a translation of the code in other languages', () => {
    const full = new ApiError(507, { ...body, code: 'disk_full' });
    expect(describeError(full, said('en'))).toBe('The disk has 3 bytes left.');
    expect(describeError(full, said('de'))).toBe('error.code.disk_full');
    expect(describeError(new ApiError(500, { ...body, code: 'new_one' }), said('de'))).toBe(body.error);
    expect(describeError(new TypeError('fetch failed'), said('de'))).toBe('error.unreachable');
  });

  it('does not repeat details that the message contains', () => {
    const fault = { path: 'limit', message: 'Too big.' };
    const refused = new ApiError(400, {
      ...body,
      error: 'Not valid: limit: Too big.',
      code: 'invalid_request',
      details: [fault],
    });
    expect(describeError(refused, said('en'))).toBe('Not valid: limit: Too big.');
    expect(describeError(refused, said('de'))).toBe('error.code.invalid_request Too big.');
  });

  it('has a message for each error code of the contract', () => {
    const keys = new Set(Object.keys(english));
    const codes = [...Object.keys(ERROR_STATUS), ...JOB_ERROR_CODES];
    expect(codes.filter((code) => !keys.has(`error.code.${code}`))).toEqual([]);
  });

  it('describes why a job failed', () => {
    const gone = {
      code: 'download_failed',
      message: 'The server answered 404.',
      stage: 'downloading',
    } as const;
    expect(describeJobError(gone, said('en'))).toBe('The server answered 404.');
    expect(describeJobError(gone, said('de'))).toBe('error.code.download_failed');
    expect(describeJobError(undefined, said('de'))).toBe('library.failedUnknown');
  });
});

describe('describeModel', () => {
  const t = Object.assign((key: string) => key, { language: 'de' as const });
  it.each([
    ['small.en', 'models.good.small'],
    ['large-v3-turbo', 'models.good.large-v3-turbo'],
    ['large-v3-turbo-q5_0', 'models.good.smaller'],
    ['my-own', 'As the server says.'],
  ])('%s', (id, expected) => {
    expect(describeModel({ id, kind: 'whisper', description: 'As the server says.' }, t)).toBe(expected);
  });
});

describe('routes', () => {
  it.each(['#/', '#/transcript/tr_1?t=12.50', '#/files/a%2Fb', '#/settings/network', '#/models'])(
    '%s',
    (hash) => {
      expect(hrefOf(parseRoute(hash, isScreenName))).toBe(hash);
    },
  );

  it('falls back to the library', () => {
    expect(parseRoute('#/nowhere', isScreenName)).toEqual({ screen: 'library' });
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

describe('parseLinks', () => {
  it('returns links only if the text contains nothing else', () => {
    expect(parseLinks(' https://a.example/x.mp3\nhttp://b.example/ ')).toHaveLength(2);
    expect(parseLinks('see https://a.example/x.mp3')).toEqual([]);
    expect(parseLinks('')).toEqual([]);
  });
});

describe('event stream', () => {
  it('parses events from partial data, with ids, comments and multi-line data', () => {
    const parser = createEventParser();
    expect(parser.push(': hello\n\nid: 7\nevent: queue.ch')).toEqual([]);
    expect(parser.push('anged\ndata: {"paused":\ndata: true}\n\ndata: x\n\n')).toEqual([
      { id: '7', event: 'queue.changed', data: '{"paused":\ntrue}' },
      { id: '7', event: 'message', data: 'x' },
    ]);
  });

  it('ignores events of an unknown type', () => {
    expect(parseLiveEvent('queue.changed', '{"paused":true}')).toEqual({
      type: 'queue.changed',
      paused: true,
    });
    expect(parseLiveEvent('something.new', '{}')).toBeUndefined();
  });
});

describe('transcription request', () => {
  const options = TranscriptionOptions.parse({
    speakers: 3,
    language: 'de',
    redact: true,
    safety: true,
  });

  it('contains only the chosen options', () => {
    expect(
      toRequest(
        'storage:/a',
        TranscriptionOptions.parse({ diarize: false, entities: false, topics: false, summary: false }),
        WHOLE_RECORDING,
      ),
    ).toEqual({
      audio_url: 'storage:/a',
      model: 'mini',
      timestamp_style: 'word',
    });
    expect(toRequest('https://a.example/x', options, { from: 1.00049, to: 8 })).toMatchObject({
      audio_start_from: 1,
      audio_end_at: 8,
      language: 'de',
      diarize: true,
      speakers_expected: 3,
      summary_language: 'de',
      redact_pii_policies: ['contact', 'financial'],
      redact_pii_audio: true,
    });
  });

  it('is quoted for the shell as a curl command', () => {
    const curl = toCurl('http://127.0.0.1:3277', { audio_url: "https://a.example/it's.mp3", model: 'mini' });
    expect(curl).toContain("it'\\''s.mp3");
    expect(curl).toContain('$EARSHOT_API_KEY');
  });

  it('replaces only invalid remembered options by defaults', () => {
    expect(TranscriptionOptions.parse({ model: 5, topics: false })).toMatchObject({
      model: 'mini',
      topics: false,
    });
  });
});

describe('waveform', () => {
  it('keeps the shape and short peaks, and leaves silence flat', () => {
    const loud = new Float32Array(100).fill(0.2);
    loud[10] = 1;
    const bars = resamplePeaks(loud, 10);
    expect(bars[1]).toBeGreaterThan(bars[5] ?? 0);
    expect(Math.max(...normalizePeaks(bars))).toBe(1);
    expect(Math.max(...normalizePeaks(new Float32Array(10)))).toBe(0);
  });

  it('converts speaker letters to indexes', () => {
    expect(['A', 'B', 'Z', 'AA'].map(speakerIndex)).toEqual([0, 1, 25, 26]);
  });
});
