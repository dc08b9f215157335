import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PEAKS_PER_SECOND } from '../../base/audio.ts';
import type { AudioChunk } from '../../engines/ffmpeg/types.ts';

/** The file of a transcript's waveform, in the transcript's folder. */
export const PEAKS_FILE = `peaks-${PEAKS_PER_SECOND}.bin`;

/**
 * Writes a chunk's waveform: two signed bytes (minimum and maximum, -127 to 127) per 1/20 s from `rangeStart` on.
 * Idempotent, because each chunk has a fixed place in the file.
 */
export const writePeaks = async (path: string, chunk: AudioChunk, rangeStart: number): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const { min, max } = chunk.peaks;
  const bytes = new Int8Array(min.length * 2);
  for (let i = 0; i < min.length; i++) {
    bytes[i * 2] = min[i] ?? 0;
    bytes[i * 2 + 1] = max[i] ?? 0;
  }
  const file = await open(path, chunk.index === 0 ? 'w' : 'r+').catch(() => open(path, 'w'));
  try {
    await file.write(bytes, 0, bytes.length, Math.round((chunk.start - rangeStart) * PEAKS_PER_SECOND) * 2);
  } finally {
    await file.close();
  }
};
