import type { Segment } from '../contract/transcript.ts';

/** 83.4 → "01:23.4"; hours where there are some. */
const stamp = (seconds: number): string => {
  const tenths = Math.round(seconds * 10);
  const [h, m, s] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${h > 0 ? `${h}:` : ''}${two(m)}:${s.toFixed(1).padStart(4, '0')}`;
};

/** A line a segment: when it was said, by whom where that is known, and what. */
export const timedLines = (segments: readonly Segment[]): string =>
  segments
    .map(({ start, end, speaker_id, text }) => {
      const speaker = speaker_id === null ? '' : `${speaker_id}: `;
      return `[${stamp(start)} → ${stamp(end)}]  ${speaker}${text}\n`;
    })
    .join('');
