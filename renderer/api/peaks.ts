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
