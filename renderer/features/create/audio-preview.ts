import type { Client } from '../../../electron/contract/client.ts';
import { toSameOrigin } from '../../api/session.ts';
import type { Peaks } from '../../lib/peaks.ts';

export type AudioPreview = { readonly duration: number; readonly peaks: Peaks | undefined };

// Decoding needs memory for all samples, so larger files have no waveform.
const MAX_DECODED_BYTES = 40 * 1024 * 1024;
const PEAK_COUNT = 1200;

/** The seconds of a media file; 0 if the browser cannot read it. */
export const readDuration = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const media = document.createElement('video');
    media.preload = 'metadata';
    const finish = (seconds: number) => {
      media.removeAttribute('src');
      resolve(Number.isFinite(seconds) ? seconds : 0);
    };
    media.onloadedmetadata = () => finish(media.duration);
    media.onerror = () => finish(0);
    media.src = url;
  });

const decodePreview = async (file: File): Promise<AudioPreview> => {
  const context = new OfflineAudioContext(1, 1, 16_000);
  const audio = await context.decodeAudioData(await file.arrayBuffer());
  const samples = audio.getChannelData(0);
  const step = Math.max(1, Math.floor(samples.length / PEAK_COUNT));
  const peaks = new Float32Array(Math.ceil(samples.length / step));
  for (let at = 0; at < samples.length; at++) {
    const bucket = Math.floor(at / step);
    peaks[bucket] = Math.max(peaks[bucket] ?? 0, Math.abs(samples[at] ?? 0));
  }
  return { duration: audio.duration, peaks };
};

/** The seconds of a stored file; 0 if the browser cannot read it. */
export const readStoredDuration = async (
  client: Client,
  baseUrl: string,
  key: string,
  signal: AbortSignal,
): Promise<number> => {
  const { data } = await client.call('downloadUrl', {
    params: { fileKey: key },
    query: { expires: 300 },
    signal,
  });
  return readDuration(toSameOrigin(data.url, baseUrl));
};

/** Previews a stored file. */
export const previewStoredFile = async (
  client: Client,
  baseUrl: string,
  key: string,
  signal: AbortSignal,
): Promise<AudioPreview> => {
  const params = { fileKey: key };
  const { data: file } = await client.call('getFile', { params, signal });
  if (file.size <= MAX_DECODED_BYTES) {
    const response = await client.send('downloadFile', { params, signal });
    return previewFile(new File([await response.blob()], file.originalName));
  }
  return { duration: await readStoredDuration(client, baseUrl, key, signal), peaks: undefined };
};

/** Previews a file before its upload; duration 0 and no peaks if the browser cannot decode it. */
export const previewFile = async (file: File): Promise<AudioPreview> => {
  if (file.size <= MAX_DECODED_BYTES) {
    try {
      return await decodePreview(file);
    } catch (error) {
      // The server decodes more formats than the browser.
      console.info('The browser could not decode the file.', error instanceof Error ? error.name : '');
    }
  }
  const url = URL.createObjectURL(file);
  try {
    return { duration: await readDuration(url), peaks: undefined };
  } finally {
    URL.revokeObjectURL(url);
  }
};
