import { createYielder } from '../../base/event-loop.ts';
import { defaultName, nextLabel } from '../../base/speaker-names.ts';
import type { SpeakerTurn } from '../../engines/diarizer/types.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { Recording } from '../source/recording.ts';
import { pairSpeakers, withEarlierEdits } from './diarize-edits.ts';
import type { Speakers } from './diarize-names.ts';
import { withSpeakers } from './diarize-words.ts';
import { withMovedTalk } from './speaker-words.ts';

/** The recording from a second of the transcript's timeline on. */
export const recordingFrom = (recording: Recording, from: number): Recording => {
  const { range, shift } = recording;
  return {
    ...recording,
    range: { start: Math.max(range?.start ?? 0, from - shift), end: range?.end ?? null },
  };
};

/**
 * Assigns speakers to what begins at `from` or later. Each keeps the label of the earlier speaker with whom most words are
 * shared; others are new. What was said before stays as it is.
 */
export const withSpeakersFrom = async (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  from: number,
  turns: readonly SpeakerTurn[],
): Promise<{ segments: StoredSegment[]; speakers: Speakers }> => {
  const kept = before.segments.filter(({ start }) => start < from);
  const part = before.segments.filter(({ start }) => start >= from);
  const known = before.speakers ?? {};
  const found = await withEarlierEdits({ segments: part, speakers: known }, await withSpeakers(part, turns));
  const labels = new Map(
    [...(await pairSpeakers(Object.keys(known), part, found.segments))].map(([old, now]) => [now, old]),
  );
  const speakers: Record<string, Speakers[string]> = { ...known };
  for (const label of Object.keys(found.speakers)) {
    if (labels.has(label)) continue;
    const added = nextLabel(Object.keys(speakers));
    labels.set(label, added);
    speakers[added] = { name: defaultName(added), talk_seconds: 0, share: 0 };
  }
  const relabel = (label: string | null) => (label === null ? null : (labels.get(label) ?? label));
  const yieldIfDue = createYielder();
  const again: StoredSegment[] = [];
  for (const segment of found.segments) {
    again.push({
      ...segment,
      speaker_id: relabel(segment.speaker_id),
      words: segment.words.map((word) => ({ ...word, speaker_id: relabel(word.speaker_id) })),
    });
    await yieldIfDue();
  }
  const segments = [...kept, ...again].map((segment, id) => ({ ...segment, id }));
  return { segments, speakers: withMovedTalk(speakers, before.segments, segments) };
};
