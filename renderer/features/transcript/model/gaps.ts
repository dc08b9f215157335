import type { Gap } from '../player.ts';
import type { Doc } from './document.ts';

const LONG = 0.9;
const LEAD = 0.2;

/** Silences worth skipping: longer than a breath, with a little air left on both sides. */
export const speechGaps = (doc: Doc): Gap[] => {
  const gaps: Gap[] = [];
  let end = 0;
  for (const word of doc.words) {
    if (word.start - end > LONG) gaps.push({ from: end + LEAD, to: word.start - LEAD });
    end = Math.max(end, word.end);
  }
  return gaps;
};
