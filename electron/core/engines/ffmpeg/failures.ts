import { AppError } from '../../base/errors.ts';
import { UNSAFE_FORMATS } from './input-options.ts';

/** The cause of a failure that is not the recording's fault: ffmpeg was killed from outside, or stalled. */
class TransientCause extends Error {}

/** Runs of ffmpeg or ffprobe, killed from outside without any progress, after which the input is given up. */
export const MAX_FFMPEG_ATTEMPTS = 3;

/** A `decode_failed` that a retry may not meet again. */
export const transientFailure = (message: string): AppError =>
  new AppError('decode_failed', message, { cause: new TransientCause(message) });

export const isTransientFailure = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof TransientCause;

type Rule = readonly [pattern: RegExp, make: (match: RegExpExecArray) => AppError];

const RULES: readonly Rule[] = [
  [
    /matches no streams|does not contain any stream|Output file #0 does not contain/i,
    () => new AppError('no_audio_track', 'The file has no sound in it.'),
  ],
  [
    /moov atom not found/i,
    () => new AppError('decode_failed', 'The file is cut off: its index is missing. Get the whole file.'),
  ],
  [
    /\[(\S+) @ \w+\] Format not on whitelist/i,
    ([, format = '']) => {
      const isUnsafe = format.split(',').some((name) => UNSAFE_FORMATS.has(name));
      const kind = isUnsafe ? 'a playlist or a script, not' : `of a kind (${format}) that is not taken for`;
      return new AppError('not_media', `The file is ${kind} a recording.`);
    },
  ],
  [
    /not whitelisted|not on whitelist|blacklisted/i,
    () => new AppError('not_media', 'The file is a playlist or a script, not a recording.'),
  ],
  [
    /no decoder found|Decoder .* not found|Unknown decoder|Could not find codec parameters/i,
    () => new AppError('decode_failed', 'The sound in the file is of a kind that ffmpeg cannot decode.'),
  ],
  [
    /No such file or directory/i,
    () => new AppError('file_not_found', 'The file to decode is not there any more.'),
  ],
  [
    /Cannot allocate memory/i,
    () => new AppError('decode_failed', 'The file announces sizes that no recording has.'),
  ],
  [
    /No space left on device/i,
    () => new AppError('disk_full', 'The disk is full. Free some space, then try again.'),
  ],
  [
    /Invalid data found when processing input|Invalid argument|End of file|Failed to (read|find)/i,
    () =>
      new AppError(
        'not_media',
        'The file is not a recording that ffmpeg can read. Raw samples without a header need the extension of their format, such as .g722.',
      ),
  ],
];

/** The last line about an error, else the last line; without log prefixes, paths and addresses. */
const lastErrorLine = (lines: readonly string[]): string => {
  const line = lines.findLast((text) => /error|fail|invalid|unable|cannot/i.test(text)) ?? lines.at(-1) ?? '';
  return line
    .replace(/^(\[[^\]]*\]\s*)+/, '')
    .replace(/(file:|https?:)\S+/g, 'the file')
    .slice(0, 200);
};

/**
 * Explains a run of ffmpeg or ffprobe without output, from its standard error and exit code (null: killed by a
 * signal). Codes: `no_audio_track`, `not_media`, `decode_failed`, `file_not_found`, `disk_full`.
 */
export const explainFfmpegError = (lines: readonly string[], exitCode: number | null): AppError => {
  if (exitCode === null) return transientFailure('ffmpeg was ended by something outside of Earshot.');
  const text = lines.join('\n');
  for (const [pattern, make] of RULES) {
    const match = pattern.exec(text);
    if (match !== null) return make(match);
  }
  const line = lastErrorLine(lines);
  const message = 'ffmpeg could not decode the file';
  return new AppError('decode_failed', line === '' ? `${message}.` : `${message}: ${line}`);
};

/** Seconds of ffmpeg's line `Duration: 00:01:02.50, start: 4.000000, …`; null for `N/A` and any other line. */
export const parseDurationLine = (line: string): { duration: number; start: number } | null => {
  const match = /^\s*Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)(?:, start: (-?\d+\.\d+))?/.exec(line);
  if (match === null) return null;
  const duration = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
  return { duration, start: Number(match[4] ?? 0) };
};

/**
 * Seconds from the first timestamp of a file, which is our zero, to its end. MP4 and Matroska declare the time of their end
 * instead. `container`: ffmpeg's name.
 */
export const lengthFromStart = (container: string, duration: number, start: number): number =>
  /^(mov|matroska)/.test(container) ? duration - Math.max(0, start) : duration;
