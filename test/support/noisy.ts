import { wav } from './audio.ts';
import { fixturePcm } from './pcm.ts';
import { createRandom } from './random.ts';

/** Gaussian, with variance 1 (Box and Muller, 1958). */
const gaussian = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** A fixture with white noise at a signal-to-noise ratio in dB, as a WAV file; the same seed adds the same noise. */
export const noisyWav = (name: string, snrDb: number, seed: number, seconds = Infinity): Buffer => {
  const pcm = fixturePcm(name).subarray(0, seconds * 16_000);
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length;
  const level = Math.sqrt(power / 10 ** (snrDb / 10));
  const { next } = createRandom(seed);
  return wav(
    Int16Array.from(pcm, (sample) => {
      const noisy = Math.max(-1, Math.min(1, sample + level * gaussian(next)));
      return Math.round(noisy * 32_767);
    }),
  );
};
