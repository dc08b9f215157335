import { readBytes } from './content-kind.ts';
import { entryFromEnd, parseXing } from './mp3-from-end.ts';
import { id3Length, isConstantRateMp3 } from './mp3-rate.ts';
import type { MediaInput } from './types.ts';

/** Decoded before a remote range's start, because some decoders need a few frames to settle. */
const PREROLL_SECONDS = 1;
const MP3_HEAD_BYTES = 16 * 1024;

/** How ffmpeg gets to an origin. */
export type Seeking = {
  readonly inputOptions: readonly string[];
  /** Audio filters before all others, which leave the samples from the origin on. */
  readonly filters: readonly string[];
};

/**
 * The second to which ffmpeg seeks for a range that starts at `start`. A local file is decoded from its beginning
 * and trimmed inside ffmpeg, which is exact for every format and a thousand times faster than real time. A remote
 * file is seeked, which is exact to a frame of its codec; a local one too where `seek` asks for it.
 */
export const seekOrigin = (input: MediaInput, start: number, seek = false): number =>
  input.kind === 'file' && !seek ? 0 : Math.max(0, Math.floor(start - PREROLL_SECONDS));

const readMp3Head = async (
  input: MediaInput,
  signal: AbortSignal | undefined,
): Promise<{ readonly start: number; readonly frames: Uint8Array }> => {
  const start = id3Length(await readBytes(input, 0, 10, signal));
  return { start, frames: await readBytes(input, start, MP3_HEAD_BYTES, signal) };
};

/** How ffmpeg seeks to an origin. */
export const seekTo = async (
  input: MediaInput,
  origin: number,
  signal: AbortSignal | undefined,
): Promise<Seeking> => {
  if (origin === 0) return { inputOptions: [], filters: [] };
  const exact: Seeking = { inputOptions: ['-ss', String(origin)], filters: [] };
  // A local file is scanned in no time, which places the frames of an MP3 better than computing does.
  if (input.kind === 'file') return exact;
  const { start, frames } = await readMp3Head(input, signal);
  // ffmpeg scans an MP3 from its beginning to seek in it; at a constant bit rate it can compute the position.
  if (isConstantRateMp3(frames, input.totalBytes - start))
    return { ...exact, inputOptions: ['-fflags', '+fastseek', '-ss', String(origin)] };
  const xing = parseXing(frames, start);
  const entry = xing === null ? null : await entryFromEnd(input, xing, origin, signal);
  if (entry === null) return exact;
  return {
    inputOptions: ['-f', 'mp3', '-skip_initial_bytes', String(entry.offset)],
    filters: [`atrim=start_sample=${entry.skip}:end_sample=${entry.end}`, 'asetpts=PTS-STARTPTS'],
  };
};
