import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import type { Span } from '../../../../electron/core/engines/ffmpeg/types.ts';
import {
  type SpeechRegion,
  speechRegions,
} from '../../../../electron/core/pipeline/recognition/speech-regions.ts';
import { chunkOf } from '../../../support/fake-engine.ts';

const START = 100;

const chunk = (seconds: number, silences: readonly Span[]) => chunkOf({ start: START, seconds, silences });

const spans = (regions: readonly SpeechRegion[]) => regions.map(({ start, end }) => [start, end]);

it('returns a chunk without pauses as one region', () => {
  const whole = chunk(4, []);
  expect(spans(speechRegions(whole))).toEqual([[100, 104]]);
  expect(speechRegions(whole)[0]?.pcm).toEqual(whole.pcm);
});

it('leaves out the pauses at both ends, except for a short padding', () => {
  const regions = speechRegions(
    chunk(30, [
      { start: 100, end: 110 },
      { start: 120, end: 130 },
    ]),
  );
  expect(spans(regions)).toEqual([[109.5, 120.5]]);
  expect(regions[0]?.pcm.length).toBe(Math.round(11 * SAMPLE_RATE));
  expect(regions[0]?.pcm[0]).toBe(Math.round(9.5 * SAMPLE_RATE));
  expect(regions[0]?.speech).toEqual([{ start: 110, end: 120 }]);
});

it('splits a chunk at a long pause, not at a short one', () => {
  const regions = speechRegions(
    chunk(20, [
      { start: 103, end: 105.9 },
      { start: 108, end: 114 },
    ]),
  );
  expect(spans(regions)).toEqual([
    [100, 108.5],
    [113.5, 120],
  ]);
});

it('returns no region for a chunk in which nobody speaks', () => {
  expect(speechRegions(chunk(20, [{ start: 100, end: 120 }]))).toEqual([]);
});

it('never leaves out speech, and returns regions in order without overlap', () => {
  const tenths = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 3, max: 90 }));
  fc.assert(
    fc.property(fc.array(tenths, { minLength: 1, maxLength: 5 }), (stretches) => {
      const sounds: Span[] = [];
      let at = START;
      for (const [sound, silence] of stretches) {
        sounds.push({ start: at, end: at + sound / 10 });
        at += (sound + silence) / 10;
      }
      const whole = { ...chunk(0, []), end: at, speech: sounds };
      const regions = speechRegions(whole);
      for (const { start, end } of sounds) {
        expect(regions.some((region) => region.start <= start + 1e-9 && region.end >= end - 1e-9)).toBe(true);
      }
      for (const [index, region] of regions.entries()) {
        expect(region.end).toBeGreaterThan(region.start);
        expect(region.start).toBeGreaterThanOrEqual(regions[index - 1]?.end ?? START);
      }
    }),
  );
});
