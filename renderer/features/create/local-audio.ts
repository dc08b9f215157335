import type { Client } from '../../../electron/contract/client.ts';
import { onOrigin } from '../../api/audio.ts';
import type { Loudness } from '../../lib/peaks.ts';

export type LocalAudio = { readonly duration: number; readonly peaks: Loudness | undefined };

// Decoding whole files in the window costs memory: beyond this the server's own peaks must do.
const DECODE_LIMIT = 40 * 1024 * 1024;
const PEAKS = 1200;

const readDuration = (url: string): Promise<number> =>
  new Promise((settle) => {
    const media = document.createElement('video');
    media.preload = 'metadata';
    const done = (seconds: number) => {
      media.removeAttribute('src');
      settle(Number.isFinite(seconds) ? seconds : 0);
    };
    media.onloadedmetadata = () => done(media.duration);
    media.onerror = () => done(0);
    media.src = url;
  });

const decodePeaks = async (file: File): Promise<LocalAudio> => {
  const context = new OfflineAudioContext(1, 1, 16_000);
  const audio = await context.decodeAudioData(await file.arrayBuffer());
  const samples = audio.getChannelData(0);
  const step = Math.max(1, Math.floor(samples.length / PEAKS));
  const peaks = new Float32Array(Math.ceil(samples.length / step));
  for (let at = 0; at < samples.length; at++) {
    const bucket = Math.floor(at / step);
    peaks[bucket] = Math.max(peaks[bucket] ?? 0, Math.abs(samples[at] ?? 0));
  }
  return { duration: audio.duration, peaks };
};

/** The same of a file that is kept by the server already. */
export const readStoredAudio = async (
  client: Client,
  baseUrl: string,
  key: string,
  signal: AbortSignal,
): Promise<LocalAudio> => {
  const params = { fileKey: key };
  const { data: file } = await client.call('getFile', { params, signal });
  if (file.size <= DECODE_LIMIT) {
    const response = await client.send('downloadFile', { params, signal });
    return readLocalAudio(new File([await response.blob()], file.originalName));
  }
  const { data } = await client.call('downloadUrl', { params, query: { expires: 300 }, signal });
  return { duration: await readDuration(onOrigin(data.url, baseUrl)), peaks: undefined };
};

/** Length and waveform of a file before it is sent; 0 and none for what this browser cannot read. */
export const readLocalAudio = async (file: File): Promise<LocalAudio> => {
  if (file.size <= DECODE_LIMIT) {
    try {
      return await decodePeaks(file);
    } catch (error) {
      // The server reads more formats than the browser does: no waveform then, the work goes on.
      console.info('No preview of this file.', error instanceof Error ? error.name : '');
    }
  }
  const url = URL.createObjectURL(file);
  try {
    return { duration: await readDuration(url), peaks: undefined };
  } finally {
    URL.revokeObjectURL(url);
  }
};
