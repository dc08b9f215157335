import type { Client } from '../../electron/contract/client.ts';
import { type Peaks, toPeaks } from '../lib/peaks.ts';

// More than the widest waveform has bars.
const PEAK_COUNT = 4000;
// Of a long recording a part is shown by itself: at one hour, 11 a second.
const LONG_PEAK_COUNT = 40_000;
/** A recording longer than this is shown as overview and detail. */
export const LONG_SECONDS = 600;

/** Fetches the peaks of a transcript's audio over its whole length. */
export const fetchPeaks = async (
  client: Client,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Peaks> => {
  const count = seconds > LONG_SECONDS ? LONG_PEAK_COUNT : PEAK_COUNT;
  const perSecond = Math.min(50, Math.max(1, Math.ceil(count / Math.max(1, seconds))));
  const { data } = await client.call('transcriptPeaks', {
    params: { id },
    query: { per_second: perSecond },
    signal,
  });
  return toPeaks(data.min, data.max);
};

/** Buckets per second of a part that is shown enlarged. */
const DETAIL_RATE = 100;

/** Fetches the peaks of a part, in detail; if the recording ends before it, the rest is silent. */
export const fetchPeaksPart = async (
  client: Client,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<Peaks> => {
  const { data } = await client.call('transcriptPeaks', {
    params: { id },
    query: { per_second: DETAIL_RATE, from, to },
    signal,
  });
  const peaks = new Float32Array(Math.max(1, Math.round((to - from) * data.per_second)));
  const begin = Math.round(((data.from ?? from) - from) * data.per_second);
  for (const [index, peak] of toPeaks(data.min, data.max).entries()) {
    if (begin + index >= 0 && begin + index < peaks.length) peaks[begin + index] = peak;
  }
  return peaks;
};
