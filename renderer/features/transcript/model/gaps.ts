import type { SilenceGap } from '../player.ts';
import type { Doc } from './document.ts';

const MIN_GAP_SECONDS = 0.9;
const MARGIN_SECONDS = 0.2;

/** Silences worth skipping: longer than a breath, with a little air left on both sides. */
export const findSilenceGaps = (doc: Doc): SilenceGap[] => {
  const gaps: SilenceGap[] = [];
  let end = 0;
  for (const word of doc.words) {
    if (word.start - end > MIN_GAP_SECONDS)
      gaps.push({ from: end + MARGIN_SECONDS, to: word.start - MARGIN_SECONDS });
    end = Math.max(end, word.end);
  }
  return gaps;
};
