import { AppError } from '../../base/errors.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';

/** The share of `seconds` that segments cover, 0 to 1; where channels speak at once, it counts once. */
export const speechShare = (segments: readonly Span[], seconds: number): number => {
  let covered = 0;
  let reached = -Infinity;
  for (const { start, end } of segments.toSorted((a, b) => a.start - b.start)) {
    covered += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return seconds === 0 ? 0 : Math.min(1, covered / seconds);
};

/** Throws `too_little_speech` where less than `threshold` of a recording of `seconds` is speech. */
export const requireSpeech = (segments: readonly Span[], seconds: number, threshold = 0): void => {
  const share = speechShare(segments, seconds);
  if (share >= threshold) return;
  throw new AppError(
    'too_little_speech',
    `Words are heard in ${Math.floor(share * 100)} % of this recording, and the request asks for ${Math.floor(threshold * 100)} %.`,
  );
};
