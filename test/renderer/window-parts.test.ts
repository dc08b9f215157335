import { describe, expect, it } from 'vitest';
import { createEventParser } from '../../electron/contract/event-stream.ts';
import { onOrigin } from '../../renderer/api/audio.ts';
import { readLiveEvent } from '../../renderer/api/live-events.ts';
import { tokenFromHash } from '../../renderer/api/session.ts';
import { linksIn } from '../../renderer/app/global-keys.ts';
import { toCurl, toRequest, WHOLE } from '../../renderer/features/create/request.ts';
import { clock, dayLabel, parseClock, roughTime } from '../../renderer/lib/format.ts';
import { bucketPeaks, normalisePeaks } from '../../renderer/lib/peaks.ts';
import { speakerIndex } from '../../renderer/lib/speakers.ts';
import { OptionsSchema } from '../../renderer/stores/prefs.ts';
import { hrefOf, parseRoute, storedInHash } from '../../renderer/stores/router.ts';

describe('times', () => {
  it('are written as a clock and read back', () => {
    expect([0, 139, 4448].map((seconds) => clock(seconds))).toEqual(['0:00', '2:19', '1:14:08']);
    expect(clock(724, true)).toBe('00:12:04');
    expect(['2:19', '1:14:08', '8.5', '8,5'].map(parseClock)).toEqual([139, 4448, 8.5, 8.5]);
    expect(['', 'x', '1:2:3:4', '-5'].map(parseClock)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('carry as much date as is needed', () => {
    const now = new Date('2026-11-20T18:00:00');
    expect(dayLabel('2026-11-20T14:02:00', 'en-GB', now)).toBe('Today, 14:02');
    expect(dayLabel('2026-11-19T23:59:00', 'en-GB', now)).toBe('Yesterday');
    expect(dayLabel('2026-11-18T12:00:00', 'en-GB', now)).toBe('18 Nov');
    expect(dayLabel('2025-11-18T12:00:00', 'de', now)).toBe('18. Nov. 2025');
    expect(roughTime(480, 'en')).toBe('8 min');
  });
});

describe('addresses of the window', () => {
  it.each(['#/', '#/transcript/tr_1?t=12.50', '#/files/a%2Fb', '#/settings/network', '#/models'])(
    '%s',
    (hash) => {
      expect(hrefOf(parseRoute(hash))).toBe(hash);
    },
  );

  it('lead to the library when they are unknown', () => {
    expect(parseRoute('#/nowhere')).toEqual({ screen: 'library' });
  });

  it('carry a token or a stored file', () => {
    expect(tokenFromHash('#token=a%2Bb')).toBe('a+b');
    expect(tokenFromHash('#/')).toBeUndefined();
    expect(storedInHash('#/new?stored=%2Fusr%2Fa.mp3&name=a.mp3')).toEqual({
      key: '/usr/a.mp3',
      name: 'a.mp3',
    });
    expect(storedInHash('#/models')).toBeUndefined();
  });

  it('stay on the origin that the page came from', () => {
    expect(onOrigin('http://127.0.0.1:3277/v1/a?x=1', 'http://localhost:3277')).toBe(
      'http://localhost:3277/v1/a?x=1',
    );
  });
});

describe('a pasted text', () => {
  it('is links only when it holds nothing else', () => {
    expect(linksIn(' https://a.example/x.mp3\nhttp://b.example/ ')).toHaveLength(2);
    expect(linksIn('see https://a.example/x.mp3')).toEqual([]);
    expect(linksIn('')).toEqual([]);
  });
});

describe('the event stream', () => {
  it('is put together from pieces, with ids, comments and several lines of data', () => {
    const parser = createEventParser();
    expect(parser.push(': hello\n\nid: 7\nevent: queue.ch')).toEqual([]);
    expect(parser.push('anged\ndata: {"paused":\ndata: true}\n\ndata: x\n\n')).toEqual([
      { id: '7', event: 'queue.changed', data: '{"paused":\ntrue}' },
      { id: '7', event: 'message', data: 'x' },
    ]);
  });

  it('passes over events of a kind that is not known', () => {
    expect(readLiveEvent('queue.changed', '{"paused":true}')).toEqual({
      type: 'queue.changed',
      paused: true,
    });
    expect(readLiveEvent('something.new', '{}')).toBeUndefined();
  });
});

const ALL = { speakers: true, redaction: true };

describe('a request for a transcription', () => {
  const options = OptionsSchema.parse({ speakers: 3, language: 'de', redact: true, safety: true });

  it('names what was chosen, and no more', () => {
    expect(
      toRequest(
        'storage:/a',
        OptionsSchema.parse({ diarize: false, entities: false, topics: false, summary: false }),
        WHOLE,
      ),
    ).toEqual({
      audio_url: 'storage:/a',
      model: 'mini',
      timestamp_style: 'word',
    });
    expect(toRequest('https://a.example/x', options, { from: 1.00049, to: 8 }, ALL)).toMatchObject({
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

  it('is a command that a shell takes as it stands', () => {
    const curl = toCurl('http://127.0.0.1:3277', { audio_url: "https://a.example/it's.mp3", model: 'mini' });
    expect(curl).toContain("it'\\''s.mp3");
    expect(curl).toContain('$EARSHOT_API_KEY');
  });

  it('is remembered field by field: a damaged one falls back alone', () => {
    expect(OptionsSchema.parse({ model: 5, topics: false })).toMatchObject({ model: 'mini', topics: false });
  });
});

describe('the drawing of sound', () => {
  it('keeps the shape, shows a shout, and leaves silence flat', () => {
    const loud = new Float32Array(100).fill(0.2);
    loud[10] = 1;
    const bars = bucketPeaks(loud, 10);
    expect(bars[1]).toBeGreaterThan(bars[5] ?? 0);
    expect(Math.max(...normalisePeaks(bars))).toBe(1);
    expect(Math.max(...normalisePeaks(new Float32Array(10)))).toBe(0);
  });

  it('numbers speakers by their letters', () => {
    expect(['A', 'B', 'Z', 'AA'].map(speakerIndex)).toEqual([0, 1, 25, 26]);
  });
});
