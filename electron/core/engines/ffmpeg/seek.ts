import { readBytes } from './content-kind.ts';
import { id3Length, isConstantRateMp3 } from './mp3-rate.ts';
import type { MediaInput } from './types.ts';

/** Decoded before a remote range's start, because some decoders need a few frames to settle. */
const PREROLL_SECONDS = 1;
const MP3_HEAD_BYTES = 16 * 1024;

/**
 * The second to which ffmpeg seeks for a range that starts at `start`. A local file is decoded from its beginning
 * and trimmed inside ffmpeg, which is exact for every format and a thousand times faster than real time. A remote
 * file is seeked, which is exact to a frame of its codec; a local one too where `seek` asks for it.
 */
export const seekOrigin = (input: MediaInput, start: number, seek = false): number =>
  input.kind === 'file' && !seek ? 0 : Math.max(0, Math.floor(start - PREROLL_SECONDS));

/** ffmpeg's input options for seeking to an origin. */
export const seekOptions = async (
  input: MediaInput,
  origin: number,
  signal: AbortSignal | undefined,
): Promise<string[]> => {
  if (origin === 0) return [];
  // A local file is scanned in no time, which places the frames of an MP3 better than computing does.
  if (input.kind === 'file') return ['-ss', String(origin)];
  const head = await readBytes(input, 0, 10, signal);
  const frames = await readBytes(input, id3Length(head), MP3_HEAD_BYTES, signal);
  // ffmpeg scans an MP3 from its beginning to seek in it; at a constant bit rate it can compute the position.
  const fastSeek = isConstantRateMp3(frames) ? ['-fflags', '+fastseek'] : [];
  return [...fastSeek, '-ss', String(origin)];
};
