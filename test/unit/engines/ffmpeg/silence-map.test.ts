import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SilenceMap } from '../../../../electron/core/engines/ffmpeg/silence-map.ts';
import { fixture } from '../../../support/fixtures.ts';

const SOUND = 0.1;
/** -50 dB as a 32-bit float, and the float below it. */
const LEVEL = 0.0031622776;
const QUIETER = 0.0031622773;

/** Runs of equal samples. */
const samplesOf = (...runs: readonly (readonly [value: number, samples: number])[]): Float32Array => {
  const samples = new Float32Array(runs.reduce((sum, [, length]) => sum + length, 0));
  let at = 0;
  for (const [value, length] of runs) {
    samples.fill(value, at, at + length);
    at += length;
  }
  return samples;
};

const mapOf = (samples: Float32Array, start = 0): SilenceMap => {
  const map = new SilenceMap(start);
  map.read(samples);
  return map;
};

/** All silences, none of which counts as starting with the window. */
const all = (map: SilenceMap): unknown => map.within(-1000, 1e9, 1);
const ended = (start: number, end: number) => ({ start, end, isOpen: false });

/** The samples of a mono WAV file with 16 bits. */
const wavSamples = (name: string): Float32Array => {
  const bytes = fixture(name);
  const from = bytes.indexOf('data') + 8;
  return Float32Array.from(
    { length: (bytes.length - from) / 2 },
    (_, at) => bytes.readInt16LE(from + 2 * at) / 32_768,
  );
};

describe('SilenceMap', () => {
  it('finds the silence that silencedetect of ffmpeg 5.1.9 finds in 13-long-pause.wav', () => {
    // It printed `silence_start: 4.10481` and `silence_end: 13.8567`.
    const [start, end] = [Math.ceil(4.10481 * 50) / 50, Math.floor(13.8567 * 50) / 50];
    expect(mapOf(wavSamples('13-long-pause.wav')).within(0, 15 * 16_000, 16_000)).toEqual([
      ended(start * 16_000, end * 16_000),
    ]);
  });

  it('rounds starts up and ends down to frames of the timeline', () => {
    expect(all(mapOf(samplesOf([SOUND, 1], [0, 4000], [SOUND, 1])))).toEqual([ended(320, 3840)]);
    expect(all(mapOf(samplesOf([SOUND, 320], [0, 4160], [SOUND, 1])))).toEqual([ended(320, 4480)]);
    expect(all(mapOf(samplesOf([0, 4000], [SOUND, 1]), 100))).toEqual([ended(320, 3840)]);
  });

  it('takes samples below -50 dB for at least 0.2 s', () => {
    expect(all(mapOf(samplesOf([SOUND, 320], [QUIETER, 3200], [SOUND, 1])))).toEqual([ended(320, 3520)]);
    expect(all(mapOf(samplesOf([SOUND, 320], [0, 3199], [SOUND, 1])))).toEqual([]);
    for (const loud of [LEVEL, -LEVEL, Number.NaN]) {
      expect(all(mapOf(samplesOf([QUIETER, 1600], [loud, 1], [-QUIETER, 1600], [SOUND, 1])))).toEqual([]);
    }
  });

  it('finds the same however the samples are split', () => {
    const run = fc.tuple(fc.constantFrom(0, SOUND), fc.integer({ min: 1, max: 6000 }));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 10 }), fc.integer({ min: 1, max: 5000 }), (runs, size) => {
        const samples = samplesOf(...runs);
        const map = new SilenceMap(0);
        for (let at = 0; at < samples.length; at += size) map.read(samples.subarray(at, at + size));
        expect(all(map)).toEqual(all(mapOf(samples)));
      }),
      { numRuns: 50 },
    );
  });

  it('finds what reading every sample finds', () => {
    const readAll = (samples: Float32Array) => {
      const found: unknown[] = [];
      let quietSince = 0;
      for (const [at, sample] of [...samples, SOUND].entries()) {
        if (sample === 0) continue;
        const [start, end] = [Math.ceil(quietSince / 320) * 320, Math.floor(at / 320) * 320];
        if (at - quietSince >= 3200) found.push(ended(start, end));
        quietSince = at + 1;
      }
      return found;
    };
    const run = fc.tuple(
      fc.constantFrom(0, SOUND),
      fc.oneof(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 3190, max: 3210 }),
        fc.integer({ min: 1, max: 9000 }),
      ),
    );
    fc.assert(
      fc.property(fc.array(run, { maxLength: 20 }), fc.integer({ min: 1, max: 9000 }), (runs, size) => {
        const samples = samplesOf(...runs);
        const map = new SilenceMap(0);
        for (let at = 0; at < samples.length; at += size) map.read(samples.subarray(at, at + size));
        map.read(new Float32Array([SOUND]));
        expect(all(map)).toEqual(readAll(samples));
      }),
      { numRuns: 200 },
    );
  });

  it('clips to the window and drops what is then too short', () => {
    const map = mapOf(samplesOf([SOUND, 960], [0, 8000], [SOUND, 11_200], [0, 3200], [SOUND, 1]));
    expect(map.within(4000, 30_000, 3200)).toEqual([ended(4000, 8960), ended(20_160, 23_360)]);
    expect(map.within(7000, 20_000, 3200)).toEqual([]);
  });

  it('marks a silence as open while it continues past the window', () => {
    const samples = samplesOf([SOUND, 960], [0, 9000]);
    expect(mapOf(samples).within(0, 9000, 100)).toEqual([{ start: 960, end: 9000, isOpen: true }]);
    expect(mapOf(samples.subarray(0, 960 + 3199)).within(0, 9000, 100)).toEqual([]);
    const map = mapOf(samplesOf([SOUND, 960], [0, 9000], [SOUND, 1]));
    expect(map.within(0, 9000, 100)).toEqual([{ start: 960, end: 9000, isOpen: true }]);
  });

  it('counts a start within two frames as the start of the window', () => {
    const map = mapOf(samplesOf([SOUND, 5600], [0, 14_400], [SOUND, 1]));
    expect(map.within(5120, 30_000, 100)).toEqual([ended(5120, 19_840)]);
    expect(map.within(5119, 30_000, 100)).toEqual([ended(5760, 19_840)]);
  });

  it('drops silences that are past', () => {
    const map = mapOf(samplesOf([SOUND, 960], [0, 4000], [SOUND, 1], [0, 5000]));
    map.dropBefore(4640);
    expect(all(map)).toEqual([ended(960, 4800), { start: 5120, end: 1e9, isOpen: true }]);
    map.dropBefore(4800);
    expect(all(map)).toEqual([{ start: 5120, end: 1e9, isOpen: true }]);
  });
});
