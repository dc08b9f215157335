import type { Client } from '../../electron/contract/client.ts';
import { type Peaks, toPeaks } from '../lib/peaks.ts';

// More than the widest waveform has bars.
const PEAK_COUNT = 4000;

/** Fetches the peaks of a transcript's audio over its whole length. */
export const fetchPeaks = async (
  client: Client,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Peaks> => {
  const perSecond = Math.min(50, Math.max(1, Math.ceil(PEAK_COUNT / Math.max(1, seconds))));
  const { data } = await client.call('transcriptPeaks', {
    params: { id },
    query: { per_second: perSecond },
    signal,
  });
  return toPeaks(data.min, data.max);
};
