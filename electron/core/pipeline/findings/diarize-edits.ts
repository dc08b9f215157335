import { defaultName, nextLabel } from '../../base/speaker-names.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { Speakers } from './diarize-names.ts';
import { withMovedTalk, withWordSpeakers } from './speaker-words.ts';

type Diarized = { readonly segments: readonly StoredSegment[]; readonly speakers: Speakers };

/** Seconds by `old label|new label`. */
type Shared = Map<string, number>;

/** What words have in both diarizations, by their start: the old label, and whether a person gave it. */
const labelsByStart = (segments: readonly StoredSegment[]) =>
  new Map(
    segments.flatMap((segment) =>
      segment.words.map(({ start, speaker_id, speakerGiven = false }) => [
        start,
        { label: speaker_id ?? segment.speaker_id, isGiven: speakerGiven },
      ]),
    ),
  );

const sharedSeconds = (
  earlier: ReturnType<typeof labelsByStart>,
  after: readonly StoredSegment[],
): { machine: Shared; given: Shared } => {
  const shared = { machine: new Map<string, number>(), given: new Map<string, number>() };
  for (const segment of after) {
    for (const { start, end, speaker_id } of segment.words) {
      const before = earlier.get(start);
      const now = speaker_id ?? segment.speaker_id;
      if (before?.label == null || now === null) continue;
      const pair = `${before.label}|${now}`;
      const of = before.isGiven ? shared.given : shared.machine;
      of.set(pair, (of.get(pair) ?? 0) + end - start);
    }
  }
  return shared;
};

/** Pairs each old label with the new one that shares most with it; each new label is taken once. */
const pairLabels = (old: readonly string[], shared: readonly Shared[]): Map<string, string> => {
  const paired = new Map<string, string>();
  const taken = new Set<string>();
  // First by the words that the diarization decided in both cases, then by those that a person gave.
  for (const seconds of shared) {
    for (const [pair] of [...seconds].toSorted(([, a], [, b]) => b - a)) {
      const [before = '', now = ''] = pair.split('|');
      if (!old.includes(before) || paired.has(before) || taken.has(now)) continue;
      paired.set(before, now);
      taken.add(now);
    }
  }
  return paired;
};

/** Pairs old labels with those of a new diarization of the same words. */
export const pairSpeakers = (
  old: readonly string[],
  before: readonly StoredSegment[],
  after: readonly StoredSegment[],
): Map<string, string> => {
  const { machine, given } = sharedSeconds(labelsByStart(before), after);
  return pairLabels(old, [given, machine]);
};

/**
 * Keeps what people decided about who speaks: the words that they gave to a speaker stay with the one who takes that
 * speaker's place in a new diarization, or with a speaker of their own where nobody does.
 */
export const withEarlierEdits = (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  after: Diarized,
): { segments: StoredSegment[]; speakers: Speakers } => {
  const earlier = labelsByStart(before.segments);
  const given = [...new Set([...earlier.values()].flatMap(({ label, isGiven }) => (isGiven && label) || []))];
  if (given.length === 0) return { segments: [...after.segments], speakers: after.speakers };
  const { machine, given: byPerson } = sharedSeconds(earlier, after.segments);
  const labels = [...new Set([...Object.keys(before.speakers ?? {}), ...given])];
  const paired = pairLabels(labels, [machine, byPerson]);
  const speakers: Record<string, Speakers[string]> = { ...after.speakers };
  for (const label of given) {
    if (paired.has(label)) continue;
    const added = nextLabel(Object.keys(speakers));
    paired.set(label, added);
    speakers[added] = { name: defaultName(added), talk_seconds: 0, share: 0 };
  }
  const segments = after.segments.flatMap((segment) =>
    withWordSpeakers(segment, (index) => {
      const known = earlier.get(segment.words[index]?.start ?? Number.NaN);
      return known?.isGiven === true && known.label !== null ? paired.get(known.label) : undefined;
    }),
  );
  const heard = new Set(segments.map(({ speaker_id }) => speaker_id));
  const talk = withMovedTalk(speakers, after.segments, segments);
  return {
    segments: segments.map((segment, id) => ({ ...segment, id })),
    speakers: Object.fromEntries(Object.entries(talk).filter(([label]) => heard.has(label))),
  };
};
