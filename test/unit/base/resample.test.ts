import { describe, expect, it } from 'vitest';
import { concatSamples } from '../../../electron/core/base/audio.ts';
import { Resampler } from '../../../electron/core/base/resample.ts';
import { createRandom } from '../../support/random.ts';

const tone = (hertz: number, rate: number, seconds = 1): Float32Array =>
  Float32Array.from(
    { length: rate * seconds },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * hertz * index) / rate),
  );

const resample = (
  samples: Float32Array,
  from: number,
  to = 16_000,
  blocks = [samples.length],
): Float32Array => {
  const resampler = new Resampler(from, to);
  const parts: Float32Array[] = [];
  let at = 0;
  for (let block = 0; at < samples.length; block++) {
    const length = blocks[block % blocks.length] ?? 1;
    parts.push(resampler.push(samples.subarray(at, at + length)));
    at += length;
  }
  return concatSamples([...parts, resampler.flush()]);
};

/** The greatest difference in the middle, where the filter has sound on both sides. */
const difference = (a: Float32Array, b: Float32Array): number =>
  a
    .slice(1000, 15_000)
    .reduce((most, sample, index) => Math.max(most, Math.abs(sample - (b[index + 1000] ?? 0))), 0);

describe('Resampler', () => {
  it.each([8000, 11_025, 24_000, 44_100, 48_000])('keeps a tone of %i Hz, its level and its time', (rate) => {
    const output = resample(tone(440, rate), rate);
    expect(Math.abs(output.length - 16_000)).toBeLessThanOrEqual(40);
    expect(difference(output, tone(440, 16_000))).toBeLessThan(0.003);
  });

  it('removes what the lower rate cannot hold', () => {
    const output = resample(tone(12_000, 48_000), 48_000);
    expect(Math.max(...output.slice(100, 15_900))).toBeLessThan(0.003);
  });

  it('makes the same of the same samples, however they are divided', () => {
    const random = createRandom(3);
    const samples = Float32Array.from({ length: 44_100 }, () => random.next() - 0.5);
    const whole = resample(samples, 44_100);
    expect(resample(samples, 44_100, 16_000, [1, 441, 37, 4096])).toEqual(whole);
  });
});
