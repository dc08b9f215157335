import type { Speaker } from '../../../contract/transcript.ts';
import type { StoredSegment } from '../../stores/segments.ts';

export type Speakers = Readonly<Record<string, Speaker>>;

/** What a speaker is called until a person says better. */
export const defaultName = (label: string): string => `Speaker ${label}`;

/** Whether a person named this speaker. */
export const isNamed = (label: string, { name }: Pick<Speaker, 'name'>): boolean =>
  name !== defaultName(label);

/** The speakers as they are called when nobody named them. */
export const withoutNames = (speakers: Speakers): Record<string, Speaker> =>
  Object.fromEntries(
    Object.entries(speakers).map(([label, speaker]) => [label, { ...speaker, name: defaultName(label) }]),
  );

/** A name goes on to a speaker who says at least this share of what its bearer said. */
const LEAST_SHARED = 0.5;

/** `old label|new label` → seconds of words that both are said to say; and the seconds of each old label. */
const sharedSeconds = (before: readonly StoredSegment[], after: readonly StoredSegment[]) => {
  const words = (segments: readonly StoredSegment[]) =>
    segments.flatMap((segment) =>
      segment.words.map(({ start, end, speaker_id }) => ({
        start,
        seconds: end - start,
        speaker: speaker_id ?? segment.speaker_id,
      })),
    );
  const later = new Map(words(after).map((word) => [word.start, word.speaker]));
  const shared = new Map<string, number>();
  const whole = new Map<string, number>();
  for (const { start, seconds, speaker } of words(before)) {
    const now = later.get(start);
    if (speaker === null || now === null || now === undefined) continue;
    whole.set(speaker, (whole.get(speaker) ?? 0) + seconds);
    const pair = `${speaker}|${now}`;
    shared.set(pair, (shared.get(pair) ?? 0) + seconds);
  }
  return { shared, whole };
};

/**
 * Speakers that were told apart anew, with the names that persons gave before: each goes to the speaker who now
 * says most of its bearer's words. `lost` are the earlier labels whose names found nobody.
 */
export const withEarlierNames = (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  after: { readonly segments: readonly StoredSegment[]; readonly speakers: Speakers },
): { speakers: Record<string, Speaker>; lost: string[] } => {
  const speakers: Record<string, Speaker> = { ...after.speakers };
  const { shared, whole } = sharedSeconds(before.segments, after.segments);
  const named = Object.entries(before.speakers ?? {}).filter(([label, speaker]) => isNamed(label, speaker));
  const pairs = named
    .flatMap(([old, { name }]) =>
      Object.keys(speakers).map((label) => ({
        old,
        name,
        label,
        seconds: shared.get(`${old}|${label}`) ?? 0,
      })),
    )
    .filter(({ old, seconds }) => seconds > 0 && seconds >= LEAST_SHARED * (whole.get(old) ?? 0))
    .toSorted((a, b) => b.seconds - a.seconds);
  const placed = new Set<string>();
  const taken = new Set<string>();
  for (const { old, name, label } of pairs) {
    const speaker = speakers[label];
    if (placed.has(old) || taken.has(label) || speaker === undefined) continue;
    speakers[label] = { ...speaker, name };
    placed.add(old);
    taken.add(label);
  }
  return { speakers, lost: named.map(([label]) => label).filter((label) => !placed.has(label)) };
};
