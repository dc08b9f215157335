import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PEAKS_PER_SECOND } from '../../base/audio.ts';
import type { StreamChunk } from './audio-streams.ts';

/** The file of a transcript's waveform, in the transcript's folder. */
export const PEAKS_FILE = `peaks-${PEAKS_PER_SECOND}.bin`;

/** Widens the peaks to those that the file has at the same place, of another stream. */
const mergeWithFile = async (file: FileHandle, bytes: Int8Array, position: number): Promise<void> => {
  const known = new Int8Array(bytes.length);
  await file.read(known, 0, known.length, position);
  for (let i = 0; i < bytes.length; i += 2) {
    bytes[i] = Math.min(bytes[i] ?? 0, known[i] ?? 0);
    bytes[i + 1] = Math.max(bytes[i + 1] ?? 0, known[i + 1] ?? 0);
  }
};

/**
 * Writes a chunk's waveform: two signed bytes (minimum and maximum, -127 to 127) per 1/20 s from `rangeStart` on.
 * Idempotent, because each chunk has a fixed place in the file. The waveform of several streams shows all of them at once.
 */
export const writePeaks = async (
  path: string,
  { stream, chunk }: StreamChunk,
  rangeStart: number,
): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const { min, max } = chunk.peaks;
  const bytes = new Int8Array(min.length * 2);
  for (let i = 0; i < min.length; i++) {
    bytes[i * 2] = min[i] ?? 0;
    bytes[i * 2 + 1] = max[i] ?? 0;
  }
  const isFirst = stream === 0 && chunk.index === 0;
  const file = await open(path, isFirst ? 'w+' : 'r+').catch(() => open(path, 'w+'));
  const position = Math.round((chunk.start - rangeStart) * PEAKS_PER_SECOND) * 2;
  try {
    if (!isFirst) await mergeWithFile(file, bytes, position);
    await file.write(bytes, 0, bytes.length, position);
  } finally {
    await file.close();
  }
};
