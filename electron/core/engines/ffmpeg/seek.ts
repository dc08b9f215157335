import { readBytes } from './content-kind.ts';
import { id3Length, isConstantRateMp3 } from './mp3-rate.ts';
import type { MediaInput } from './types.ts';

/** Read ahead of a range's start, so that decoders which need a few frames to settle have them. */
const PREROLL_SECONDS = 1;
const MP3_HEAD_BYTES = 16 * 1024;

/**
 * Where ffmpeg's own time begins for a range that starts at some second. A local file is always decoded from
 * its beginning, and what lies before the range is dropped inside ffmpeg: that is exact for every format, and
 * a thousand times faster than real time. A remote one is sought, which is exact to a frame of its codec.
 */
export const seekOrigin = (input: MediaInput, start: number): number =>
  input.kind === 'file' ? 0 : Math.max(0, Math.floor(start - PREROLL_SECONDS));

/** ffmpeg's input options for going to an origin. */
export const seekOptions = async (
  input: MediaInput,
  origin: number,
  signal: AbortSignal | undefined,
): Promise<string[]> => {
  if (origin === 0) return [];
  const head = await readBytes(input, 0, 10, signal);
  const frames = await readBytes(input, id3Length(head), MP3_HEAD_BYTES, signal);
  // ffmpeg reads an MP3 from its beginning to seek in it; where the rate is constant it can do without.
  const fast = isConstantRateMp3(frames) ? ['-fflags', '+fastseek'] : [];
  return [...fast, '-ss', String(origin)];
};
