import type { Speaker } from '../../../contract/transcript.ts';
import { createYielder } from '../../base/event-loop.ts';
import { defaultName, isNamed } from '../../base/speaker-names.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';

export type Speakers = Readonly<Record<string, Speaker>>;

/** The speakers under their default names. */
export const withoutNames = (speakers: Speakers): Record<string, Speaker> =>
  Object.fromEntries(
    Object.entries(speakers).map(([label, speaker]) => [label, { ...speaker, name: defaultName(label) }]),
  );

/** The least share of a speaker's words that a new speaker must say to inherit the name. */
const MIN_SHARED = 0.5;

const speakerOf = (segment: StoredSegment, { speaker_id }: StoredWord): string | null =>
  speaker_id ?? segment.speaker_id;

/** `shared`: `old label|new label` → seconds of words that both say; `total`: seconds of each old label. */
const sharedSeconds = async (before: readonly StoredSegment[], after: readonly StoredSegment[]) => {
  const yieldIfDue = createYielder();
  const later = new Map<number, string | null>();
  for (const segment of after) {
    for (const word of segment.words) later.set(word.start, speakerOf(segment, word));
    await yieldIfDue();
  }
  const shared = new Map<string, number>();
  const total = new Map<string, number>();
  for (const segment of before) {
    for (const word of segment.words) {
      const [speaker, now] = [speakerOf(segment, word), later.get(word.start)];
      if (speaker === null || now === null || now === undefined) continue;
      const seconds = word.end - word.start;
      total.set(speaker, (total.get(speaker) ?? 0) + seconds);
      const pair = `${speaker}|${now}`;
      shared.set(pair, (shared.get(pair) ?? 0) + seconds);
    }
    await yieldIfDue();
  }
  return { shared, total };
};

/**
 * Carries the names and colors that people gave over to the speakers of a new diarization: each to the speaker who now says most
 * of the words. `dropped` are the earlier labels whose names no speaker inherits.
 */
export const withEarlierNames = async (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  after: { readonly segments: readonly StoredSegment[]; readonly speakers: Speakers },
): Promise<{ speakers: Record<string, Speaker>; dropped: string[] }> => {
  const speakers: Record<string, Speaker> = { ...after.speakers };
  const { shared, total } = await sharedSeconds(before.segments, after.segments);
  const known = Object.entries(before.speakers ?? {});
  const named = known.filter(([label, speaker]) => isNamed(label, speaker));
  const pairs = known
    .filter(([label, speaker]) => isNamed(label, speaker) || speaker.color !== undefined)
    .flatMap(([old, { name, color }]) =>
      Object.keys(speakers).map((label) => ({
        old,
        given: {
          ...(isNamed(old, { name }) ? { name } : {}),
          ...(color === undefined ? {} : { color }),
        },
        label,
        seconds: shared.get(`${old}|${label}`) ?? 0,
      })),
    )
    .filter(({ old, seconds }) => seconds > 0 && seconds >= MIN_SHARED * (total.get(old) ?? 0))
    .toSorted((a, b) => b.seconds - a.seconds);
  const placed = new Set<string>();
  const taken = new Set<string>();
  for (const { old, given, label } of pairs) {
    const speaker = speakers[label];
    if (placed.has(old) || taken.has(label) || speaker === undefined) continue;
    speakers[label] = { ...speaker, ...given };
    placed.add(old);
    taken.add(label);
  }
  return { speakers, dropped: named.map(([label]) => label).filter((label) => !placed.has(label)) };
};
