import type { Transcription } from '../../../../electron/contract/transcript.ts';
import type { SilenceGap } from '../player.ts';
import type { Doc } from './document.ts';

/** A range of the recording in seconds. */
type Timeline = { readonly from: number; readonly to: number };

type Ranged = Pick<Transcription, 'duration' | 'audio_offset' | 'audio_start_from' | 'audio_end_at'> &
  Partial<Pick<Transcription, 'segments'>>;

export const isPartial = (transcript: Ranged): boolean =>
  transcript.audio_start_from > 0 || transcript.audio_end_at > 0;

/**
 * The part of the recording that the player shows: all of it, or the transcribed range, wherever the stored audio
 * begins. `played` is the duration of the loaded audio, 0 until it is known.
 */
export const getTimeline = (transcript: Ranged | undefined, played: number): Timeline => {
  if (transcript === undefined) return { from: 0, to: 0 };
  const { duration, audio_offset: offset, audio_start_from: start, audio_end_at: end, segments } = transcript;
  // The job was stopped before the length was known.
  const recognized = segments?.at(-1)?.end ?? offset;
  if (!isPartial(transcript)) {
    if (played > 0) return { from: offset, to: offset + played };
    return { from: offset, to: duration > 0 ? offset + duration : recognized };
  }
  const from = Math.max(offset, start);
  if (duration > 0) return { from, to: from + duration };
  return { from, to: end > 0 ? end : Math.max(recognized, offset + played) };
};

/** The end as it is written: by the length that the service measured, which every other place shows; the browser's differs a little. */
export const shownEnd = (transcript: Ranged | undefined, { from, to }: Timeline): number =>
  transcript !== undefined && transcript.duration > 0 ? from + transcript.duration : to;

const MIN_GAP_SECONDS = 0.9;
const MARGIN_SECONDS = 0.2;

/** The silence gaps that playback may skip: longer than a breath, with a margin on both sides. */
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
