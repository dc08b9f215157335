import { createYielder, type YieldIfDue } from '../../base/event-loop.ts';
import { defaultName, nextLabel } from '../../base/speaker-names.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { Speakers } from './diarize-names.ts';
import { withMovedTalk, withWordSpeakers } from './speaker-words.ts';

type Diarized = { readonly segments: readonly StoredSegment[]; readonly speakers: Speakers };

/** Seconds by `old label|new label`. */
type Shared = Map<string, number>;

/** The old label of a word, and whether a person gave it. */
type Earlier = { readonly label: string | null; readonly isGiven: boolean };

/** What words have in both diarizations, by their start. */
const labelsByStart = async (
  segments: readonly StoredSegment[],
  yieldIfDue: YieldIfDue,
): Promise<ReadonlyMap<number, Earlier>> => {
  const labels = new Map<number, Earlier>();
  for (const segment of segments) {
    for (const { start, speaker_id, speakerGiven = false } of segment.words) {
      labels.set(start, { label: speaker_id ?? segment.speaker_id, isGiven: speakerGiven });
    }
    await yieldIfDue();
  }
  return labels;
};

const sharedSeconds = async (
  earlier: ReadonlyMap<number, Earlier>,
  after: readonly StoredSegment[],
  yieldIfDue: YieldIfDue,
): Promise<{ machine: Shared; given: Shared }> => {
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
    await yieldIfDue();
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
export const pairSpeakers = async (
  old: readonly string[],
  before: readonly StoredSegment[],
  after: readonly StoredSegment[],
): Promise<Map<string, string>> => {
  const yieldIfDue = createYielder();
  const { machine, given } = await sharedSeconds(await labelsByStart(before, yieldIfDue), after, yieldIfDue);
  return pairLabels(old, [given, machine]);
};

/**
 * Keeps what people decided about who speaks: the words that they gave to a speaker stay with the one who takes that
 * speaker's place in a new diarization, or with a speaker of their own where nobody does.
 */
export const withEarlierEdits = async (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  after: Diarized,
): Promise<{ segments: StoredSegment[]; speakers: Speakers }> => {
  const yieldIfDue = createYielder();
  const earlier = await labelsByStart(before.segments, yieldIfDue);
  const given = [...new Set([...earlier.values()].flatMap(({ label, isGiven }) => (isGiven && label) || []))];
  if (given.length === 0) return { segments: [...after.segments], speakers: after.speakers };
  const { machine, given: byPerson } = await sharedSeconds(earlier, after.segments, yieldIfDue);
  const labels = [...new Set([...Object.keys(before.speakers ?? {}), ...given])];
  const paired = pairLabels(labels, [machine, byPerson]);
  const speakers: Record<string, Speakers[string]> = { ...after.speakers };
  for (const label of given) {
    if (paired.has(label)) continue;
    const added = nextLabel(Object.keys(speakers));
    paired.set(label, added);
    speakers[added] = { name: defaultName(added), talk_seconds: 0, share: 0 };
  }
  const segments: StoredSegment[] = [];
  for (const segment of after.segments) {
    const speakerOf = (index: number) => {
      const known = earlier.get(segment.words[index]?.start ?? Number.NaN);
      return known?.isGiven === true && known.label !== null ? paired.get(known.label) : undefined;
    };
    segments.push(...withWordSpeakers(segment, speakerOf));
    await yieldIfDue();
  }
  const heard = new Set(segments.map(({ speaker_id }) => speaker_id));
  const talk = withMovedTalk(speakers, after.segments, segments);
  return {
    segments: segments.map((segment, id) => ({ ...segment, id })),
    speakers: Object.fromEntries(Object.entries(talk).filter(([label]) => heard.has(label))),
  };
};
