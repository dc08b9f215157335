import type { Transcription } from '../../../contract/transcript.ts';
import { createYielder } from '../../base/event-loop.ts';
import { round, roundMs } from '../../base/numbers.ts';
import { defaultName, labelAt } from '../../base/speaker-names.ts';
import { joinTexts } from '../../base/text.ts';
import type { SpeakerTurn } from '../../engines/diarizer/types.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';
import { TurnsByTime } from './turns-by-time.ts';

/** A shorter change of speaker inside a segment is an inexact word time; seconds. */
const MIN_RUN_SECONDS = 0.6;

/** Consecutive words of one speaker. */
type Run = { speaker: number; words: StoredWord[] };

const overlap = (word: Pick<StoredWord, 'start' | 'end'>, turn: SpeakerTurn): number =>
  Math.min(word.end, turn.end) - Math.max(word.start, turn.start);

/** The speaker whose turns overlap the word most; without overlap, the nearest in time. */
const speakerOf = (
  word: Pick<StoredWord, 'start' | 'end'>,
  turns: readonly SpeakerTurn[],
): number | undefined => {
  let best: SpeakerTurn | undefined;
  let most = -Infinity;
  for (const turn of turns) {
    const shared = overlap(word, turn);
    if (shared > most) [best, most] = [turn, shared];
  }
  return best?.speaker;
};

const secondsOf = ({ words }: Run): number => (words.at(-1)?.end ?? 0) - (words[0]?.start ?? 0);

/** Groups a segment's words by speaker; merges runs too short to be a turn into the longer neighbor. */
const runsOf = (words: readonly StoredWord[], turns: readonly SpeakerTurn[]): Run[] => {
  let runs: Run[] = [];
  for (const word of words) {
    const speaker = speakerOf(word, turns) ?? 0;
    const last = runs.at(-1);
    if (last?.speaker === speaker) last.words.push(word);
    else runs.push({ speaker, words: [word] });
  }
  for (;;) {
    const at = runs.length < 2 ? -1 : runs.findIndex((run) => secondsOf(run) < MIN_RUN_SECONDS);
    const short = runs[at];
    if (short === undefined) return runs;
    const [before, after] = [runs[at - 1], runs[at + 1]];
    const neighbor = before && (!after || secondsOf(before) >= secondsOf(after)) ? before : after;
    if (neighbor === undefined) return runs;
    short.speaker = neighbor.speaker;
    const merged: Run[] = [];
    for (const run of runs) {
      const last = merged.at(-1);
      if (last?.speaker === run.speaker) last.words.push(...run.words);
      else merged.push(run);
    }
    runs = merged;
  }
};

/** Whether another speaker's turns cover at least half of a word. */
const isOverlapped = (
  word: Pick<StoredWord, 'start' | 'end'>,
  speaker: number,
  turns: readonly SpeakerTurn[],
): boolean =>
  word.end > word.start &&
  turns.some((turn) => turn.speaker !== speaker && overlap(word, turn) >= (word.end - word.start) / 2);

const labeled = (
  words: readonly StoredWord[],
  label: string,
  speaker: number,
  turns: readonly SpeakerTurn[],
): StoredWord[] =>
  words.map(({ overlap: _, ...word }) => ({
    ...word,
    speaker_id: label,
    ...(isOverlapped(word, speaker, turns) ? { overlap: true } : {}),
  }));

/** Labels speakers A, B, … in the order in which they first speak. */
class Labels {
  readonly #known = new Map<number, string>();

  of(speaker: number): string {
    const label = this.#known.get(speaker) ?? labelAt(this.#known.size);
    this.#known.set(speaker, label);
    return label;
  }

  get all(): ReadonlyMap<number, string> {
    return this.#known;
  }
}

const splitSegment = (
  segment: StoredSegment,
  turns: readonly SpeakerTurn[],
  labels: Labels,
): StoredSegment[] => {
  const runs = runsOf(segment.words, turns);
  const [first] = runs;
  if (runs.length <= 1 || first === undefined) {
    const speaker = first?.speaker ?? speakerOf(segment, turns) ?? 0;
    const label = labels.of(speaker);
    return [{ ...segment, speaker_id: label, words: labeled(segment.words, label, speaker, turns) }];
  }
  return runs.map(({ speaker, words }, index) => {
    const label = labels.of(speaker);
    return {
      ...segment,
      text: joinTexts(words.map(({ word }) => word)),
      start: index === 0 ? segment.start : (words[0]?.start ?? segment.start),
      end: index === runs.length - 1 ? segment.end : (words.at(-1)?.end ?? segment.end),
      speaker_id: label,
      words: labeled(words, label, speaker, turns),
    };
  });
};

/**
 * Assigns each word to the speaker whose turns overlap it most, and splits segments between words so that each has one
 * speaker. `speakers` are those who say a word, with the seconds of their turns and their share of all; `labels` maps
 * the diarizer's numbers to labels.
 */
export const withSpeakers = async (
  segments: readonly StoredSegment[],
  turns: readonly SpeakerTurn[],
): Promise<{
  segments: StoredSegment[];
  speakers: NonNullable<Transcription['speakers']>;
  labels: ReadonlyMap<number, string>;
}> => {
  if (turns.length === 0) return { segments: [...segments], speakers: {}, labels: new Map() };
  const labels = new Labels();
  const byTime = new TurnsByTime(turns);
  const yieldIfDue = createYielder();
  const split: StoredSegment[] = [];
  for (const segment of segments) {
    split.push(...splitSegment(segment, byTime.near(segment), labels));
    await yieldIfDue();
  }
  const seconds = new Map<number, number>();
  for (const { speaker, start, end } of turns) {
    seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start);
  }
  const total = [...labels.all.keys()].reduce((sum, speaker) => sum + (seconds.get(speaker) ?? 0), 0);
  const speakers = [...labels.all].map(([speaker, label]) => {
    const talk = seconds.get(speaker) ?? 0;
    const share = total === 0 ? 0 : round(talk / total, 3);
    return [label, { name: defaultName(label), talk_seconds: roundMs(talk), share }] as const;
  });
  return {
    segments: split.map((segment, id) => ({ ...segment, id })),
    speakers: Object.fromEntries(speakers),
    labels: labels.all,
  };
};
