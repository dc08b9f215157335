import type { Client } from '../../electron/contract/client.ts';
import type { Loudness } from '../lib/peaks.ts';

const DRAWN = 1200;

/** The loudness of a transcript's audio over its whole length. */
export const loadLoudness = async (
  client: Client,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Loudness> => {
  const response = await client.send('transcriptAudio', { params: { id }, signal });
  const context = new OfflineAudioContext(1, 1, 8000);
  const audio = await context.decodeAudioData(await response.arrayBuffer());
  const samples = audio.getChannelData(0);
  const peaks = new Float32Array(DRAWN);
  for (let at = 0; at < samples.length; at++) {
    const bucket = Math.floor((at / samples.length) * DRAWN);
    peaks[bucket] = Math.max(peaks[bucket] ?? 0, Math.abs(samples[at] ?? 0));
  }
  return seconds >= 0 ? peaks : new Float32Array();
};
