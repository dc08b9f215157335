import type { JobListeners } from './addon.ts';

/**
 * Listeners for a job that may be started again from its beginning: the same audio and parameters give the
 * same segments, so what was told once is not told again, and progress never falls.
 */
export const resumable = ({ onProgress, onSegment, onLanguage }: JobListeners): (() => JobListeners) => {
  let percentTold = -1;
  let segmentsTold = 0;
  let languageTold = false;
  return () => {
    let segmentsSeen = 0;
    return {
      onProgress: (percent) => {
        if (percent <= percentTold) return;
        percentTold = percent;
        onProgress?.(percent);
      },
      onSegment: (segment) => {
        segmentsSeen += 1;
        if (segmentsSeen <= segmentsTold) return;
        segmentsTold = segmentsSeen;
        onSegment?.(segment);
      },
      onLanguage: (guess) => {
        if (languageTold) return;
        languageTold = true;
        onLanguage?.(guess);
      },
    };
  };
};
