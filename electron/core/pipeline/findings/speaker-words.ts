import type { Speaker } from '../../../contract/transcript.ts';
import { locateSegmentWords } from '../../analysis/offsets.ts';
import { round, roundMs } from '../../base/numbers.ts';
import type { SegmentText, StoredSegment, StoredWord } from '../../stores/segments.ts';

type WordRun = { readonly speaker: string | null; readonly first: number; readonly words: StoredWord[] };

/** The speaker of a word by its index in the segment; undefined leaves it as it is. */
export type SpeakerOfWord = (index: number) => string | undefined;

const runsOf = (segment: StoredSegment, speakerOf: SpeakerOfWord): WordRun[] => {
  const runs: WordRun[] = [];
  for (const [index, word] of segment.words.entries()) {
    const given = speakerOf(index);
    const speaker = given ?? word.speaker_id ?? segment.speaker_id;
    const own =
      given === undefined
        ? { ...word, speaker_id: speaker }
        : { ...word, speaker_id: speaker, speakerGiven: true };
    const last = runs.at(-1);
    if (last?.speaker === speaker) last.words.push(own);
    else runs.push({ speaker, first: index, words: [own] });
  }
  return runs;
};

/**
 * Gives words of a segment to speakers, as a person decides, and splits it between words so that each part has one
 * speaker. Ids are left to the caller.
 */
export const withWordSpeakers = (segment: StoredSegment, speakerOf: SpeakerOfWord): StoredSegment[] => {
  const runs = runsOf(segment, speakerOf);
  const [only] = runs;
  if (runs.length <= 1) {
    const speaker_id = only?.speaker ?? speakerOf(0) ?? segment.speaker_id;
    return [{ ...segment, speaker_id, words: only?.words ?? [] }];
  }
  const { text } = segment;
  const places = locateSegmentWords(text, { from: 0, to: text.length }, segment, 0);
  const startOf = (run: WordRun | undefined): number =>
    run === undefined ? text.length : (places[run.first]?.from ?? text.length);
  return runs.map((run, index) => ({
    ...segment,
    text: text.slice(index === 0 ? 0 : startOf(run), startOf(runs[index + 1])).trim(),
    start: index === 0 ? segment.start : (run.words[0]?.start ?? segment.start),
    end: index === runs.length - 1 ? segment.end : (run.words.at(-1)?.end ?? segment.end),
    speaker_id: run.speaker,
    words: run.words,
  }));
};

type Timed = Pick<SegmentText, 'start' | 'end' | 'speaker_id'>;

/** Seconds of the segments of each speaker; `''` stands for none. */
const secondsOf = (segments: readonly Timed[]): Map<string, number> => {
  const seconds = new Map<string, number>();
  for (const { start, end, speaker_id } of segments) {
    const label = speaker_id ?? '';
    seconds.set(label, (seconds.get(label) ?? 0) + Math.max(0, end - start));
  }
  return seconds;
};

/** The speakers with their shares of all talk. */
const withShares = (speakers: Readonly<Record<string, Speaker>>): Record<string, Speaker> => {
  const total = Object.values(speakers).reduce((sum, { talk_seconds }) => sum + talk_seconds, 0);
  return Object.fromEntries(
    Object.entries(speakers).map(([label, speaker]) => [
      label,
      { ...speaker, share: total === 0 ? 0 : round(speaker.talk_seconds / total, 3) },
    ]),
  );
};

/**
 * Talk time after segments changed hands. It was measured by turns, which are not kept: who lost a part of their
 * segments lost that part of their talk, and it goes to those who gained, in proportion. The sum stays.
 */
export const withMovedTalk = (
  speakers: Readonly<Record<string, Speaker>>,
  before: readonly Timed[],
  after: readonly Timed[],
): Record<string, Speaker> => {
  const [had, has] = [secondsOf(before), secondsOf(after)];
  let moved = Math.max(0, (had.get('') ?? 0) - (has.get('') ?? 0));
  let gained = 0;
  const talk = new Map<string, number>();
  for (const [label, { talk_seconds }] of Object.entries(speakers)) {
    const [then, now] = [had.get(label) ?? 0, has.get(label) ?? 0];
    const kept = now < then ? (talk_seconds * now) / then : talk_seconds;
    talk.set(label, kept);
    moved += talk_seconds - kept;
    gained += Math.max(0, now - then);
  }
  const changed = Object.entries(speakers).map(([label, speaker]) => {
    const gain = Math.max(0, (has.get(label) ?? 0) - (had.get(label) ?? 0));
    const seconds = (talk.get(label) ?? 0) + (gained === 0 ? 0 : (moved * gain) / gained);
    return [label, { ...speaker, talk_seconds: roundMs(seconds) }] as const;
  });
  return withShares(Object.fromEntries(changed));
};
