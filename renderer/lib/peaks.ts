/** Amplitude peaks from 0 to 1 at even intervals over a recording. */
export type Peaks = Float32Array;

const MEAN_WEIGHT = 0.75;

/**
 * Resamples to `count` values: mostly the mean, which shows the shape of speech, with some of the maximum, so that
 * short loud sounds stay visible.
 */
export const resamplePeaks = (peaks: ArrayLike<number>, count: number): Peaks => {
  const out = new Float32Array(Math.max(0, count));
  const step = peaks.length / count;
  for (let index = 0; index < count; index++) {
    const from = Math.floor(index * step);
    const to = Math.max(from + 1, Math.floor((index + 1) * step));
    let loudest = 0;
    let sum = 0;
    for (let at = from; at < to && at < peaks.length; at++) {
      loudest = Math.max(loudest, peaks[at] ?? 0);
      sum += peaks[at] ?? 0;
    }
    out[index] = (sum / (to - from)) * MEAN_WEIGHT + loudest * (1 - MEAN_WEIGHT);
  }
  return out;
};

/** Scales to a maximum of 1, so that a quiet recording is not a flat line. Silence stays flat. */
export const normalizePeaks = (peaks: Peaks): Peaks => {
  const loudest = peaks.reduce((most, peak) => Math.max(most, peak), 0);
  return loudest < 0.01 ? peaks : peaks.map((peak) => peak / loudest);
};

/** Converts the server's minima and maxima to peaks. */
export const toPeaks = (min: readonly number[], max: readonly number[]): Peaks =>
  Float32Array.from(max, (top, index) => Math.max(Math.abs(top), Math.abs(min[index] ?? 0)));
