import { readBytes } from './content-kind.ts';
import type { MediaInput } from './types.ts';

const FMT_BYTES = 16;
/** PCM, floats, and either with the extended header: formats whose bytes per second are exact. */
const EXACT_FORMATS = new Set([1, 3, 0xfffe]);
/** From here on, a length stands for "not known yet": programs that write to a pipe put 2 or 4 GiB there. */
const UNKNOWN_LENGTH = 0x7f000000;

/** Whether a file is an AVI, by its first bytes. */
export const isAvi = (head: Uint8Array): boolean =>
  /^RIFF.{4}AVI /s.test(String.fromCharCode(...head.subarray(0, 12)));

/** What the header of a WAV declares; `end`: of the sound, in bytes of the file. */
export type WavSound = { readonly bytesPerSecond: number; readonly seconds: number; readonly end: number };

/**
 * The sound that the header of a WAV file (RIFF, uncompressed) declares, from the file's first bytes. Null for
 * other files, for those that were written without knowing the length, and where the sound begins after these bytes.
 */
export const declaredWavSound = (head: Uint8Array): WavSound | null => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const name = (at: number): string => String.fromCharCode(...head.subarray(at, at + 4));
  if (head.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') return null;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const length = view.getUint32(at + 4, true);
    if (name(at) === 'fmt ' && at + 8 + FMT_BYTES <= head.length) {
      const isExact = EXACT_FORMATS.has(view.getUint16(at + 8, true));
      bytesPerSecond = isExact ? view.getUint32(at + 16, true) : 0;
    }
    if (name(at) === 'data') {
      const isKnown = bytesPerSecond > 0 && length > 0 && length < UNKNOWN_LENGTH;
      return isKnown ? { bytesPerSecond, seconds: length / bytesPerSecond, end: at + 8 + length } : null;
    }
    // Chunks begin at even offsets.
    at += 8 + length + (length % 2);
  }
  return null;
};

/** Whether more than a second of sound follows the end that the header declares: what follows it is no chunk. */
export const hasMoreWavSound = async (
  input: MediaInput,
  { end, bytesPerSecond }: WavSound,
  signal: AbortSignal | undefined,
): Promise<boolean> => {
  const next = await readBytes(input, end + (end % 2), 4, signal);
  if (next.length < 4 || /^[\x20-\x7e]{4}$/.test(String.fromCharCode(...next))) return false;
  return (await readBytes(input, end + bytesPerSecond, 1, signal)).length > 0;
};

/** ffmpeg's option for a WAV that goes on behind its declared end. */
export const WHOLE_WAV = ['-ignore_length', '1'] as const;
