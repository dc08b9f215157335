import type { Segment } from '../contract/transcript.ts';
import { formatTenths } from '../core/base/time.ts';

/** A line a segment: when it was said, by whom where that is known, and what. */
export const timedLines = (segments: readonly Segment[]): string =>
  segments
    .map(({ start, end, speaker_id, text }) => {
      const speaker = speaker_id === null ? '' : `${speaker_id}: `;
      return `[${formatTenths(start)} → ${formatTenths(end)}]  ${speaker}${text}\n`;
    })
    .join('');
