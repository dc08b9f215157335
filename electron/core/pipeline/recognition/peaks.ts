import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AudioChunk } from '../../engines/ffmpeg/types.ts';

/** Pairs of minimum and maximum a second in the peaks file. */
export const PEAKS_PER_SECOND = 20;

/**
 * Writes a chunk's waveform into the file: two signed bytes (minimum, maximum; -127 to 127) a twentieth of
 * a second from `rangeStart` on. Each chunk has its fixed place, so that writing one again changes nothing.
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
