import { describe, expect, it } from 'vitest';
import { SilenceMap, SilenceParser } from '../../../../electron/core/engines/ffmpeg/silence-map.ts';

/** Captured from ffmpeg 5.1.9 on 13-long-pause.wav. */
const LINES = [
  '[silencedetect @ 0x55d321875e00] silence_start: 4.10481',
  '[Parsed_ametadata_4 @ 0x55d321877980] frame:213  pts:68160   pts_time:4.26',
  '[Parsed_ametadata_4 @ 0x55d321877980] lavfi.silence_start=4.10481',
  'out_time=00:00:05.000000',
  '[silencedetect @ 0x55d321875e00] silence_end: 13.8567 | silence_duration: 9.75194',
  '[Parsed_ametadata_4 @ 0x55d321877980] frame:692  pts:221440  pts_time:13.84',
  '[Parsed_ametadata_4 @ 0x55d321877980] lavfi.silence_end=13.8567',
  '[Parsed_ametadata_4 @ 0x55d321877980] lavfi.silence_duration=9.75194',
];

describe('SilenceParser', () => {
  it('takes positions from the frame lines, to the sample', () => {
    const parser = new SilenceParser();
    expect(LINES.map((line) => parser.read(line)).filter((event) => event !== null)).toEqual([
      { kind: 'start', sample: 68_160 + 320 - 3200 },
      { kind: 'end', sample: 221_440 },
    ]);
  });

  it('ignores other metadata and values before any frame', () => {
    const parser = new SilenceParser();
    expect(parser.read('[Parsed_ametadata_4 @ 0x1] lavfi.silence_end=3')).toBeNull();
    expect(parser.read('[mp3 @ 0x1] frame:1 pts:5 pts_time:1')).toBeNull();
    expect(parser.read('[Parsed_ametadata_4 @ 0x1] title=lavfi.silence_start=1')).toBeNull();
  });
});

describe('SilenceMap', () => {
  const map = (...events: [kind: 'start' | 'end', sample: number][]): SilenceMap => {
    const made = new SilenceMap();
    for (const [kind, sample] of events) made.add({ kind, sample });
    return made;
  };

  it('clips to the window and drops what is then too short', () => {
    const silences = map(['start', 1000], ['end', 9000], ['start', 20_000], ['end', 22_000]);
    expect(silences.within(4000, 30_000, 3000)).toEqual([{ start: 4000, end: 9000, isOpen: false }]);
    expect(silences.within(7000, 30_000, 3000)).toEqual([]);
  });

  it('marks a silence as open while it continues past the window', () => {
    expect(map(['start', 1000]).within(0, 9000, 100)).toEqual([{ start: 1000, end: 9000, isOpen: true }]);
    expect(map(['start', 1000], ['end', 9500]).within(0, 9000, 100)).toEqual([
      { start: 1000, end: 9000, isOpen: true },
    ]);
  });

  it('counts a start within two frames as the start of the window', () => {
    expect(map(['start', 5600], ['end', 20_000]).within(5000, 30_000, 100)).toEqual([
      { start: 5000, end: 20_000, isOpen: false },
    ]);
  });

  it('ignores events out of order, and drops silences that are past', () => {
    const silences = map(['end', 10], ['start', 1000], ['start', 2000], ['end', 5000], ['end', 6000]);
    expect(silences.within(0, 9000, 1)).toEqual([{ start: 1000, end: 5000, isOpen: false }]);
    silences.dropBefore(5000);
    expect(silences.within(0, 9000, 1)).toEqual([]);
  });
});
