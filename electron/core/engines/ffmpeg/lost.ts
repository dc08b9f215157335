import { AppError } from '../../base/errors.ts';

/** The cause of an error for which the recording is not to blame: ffmpeg was ended by a signal, or stood still. */
class FfmpegLost extends Error {}

/** Times that ffmpeg or ffprobe may be ended by a signal, without any progress in between. */
export const MOST_LOSSES = 3;

/** A failure that another try may not have. */
export const lost = (message: string): AppError =>
  new AppError('decode_failed', message, { cause: new FfmpegLost(message) });

export const wasLost = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof FfmpegLost;
