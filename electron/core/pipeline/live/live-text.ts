import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIVE_URL } from '../../../contract/realtime.ts';
import { AppError } from '../../base/errors.ts';
import { joinTexts } from '../../base/text.ts';
import { type Transcript, wordsCodec } from '../../stores/codecs.ts';
import { isClaimed } from '../../stores/jobs.ts';
import {
  packWords,
  readSegments,
  type StoredSegment,
  type StoredWord,
  unpackWords,
  updateSegment,
} from '../../stores/segments.ts';
import type { JobContext, PipelineDeps } from '../deps.ts';
import { compareReadings } from '../recognition/verify.ts';
import { transcriptFolder } from '../source/recording.ts';
import type { LiveWord } from './agreement.ts';

const SENTENCE_END = /[.?!…。？！।۔][\p{Pe}\p{Pf}"'”’]*$/u;

/** The committed words of a live session as segments: a sentence each, or what was said of one before a pause. */
export class LiveText {
  readonly #segments: StoredSegment[] = [];
  #isOpen = false;
  #changedFrom = 0;

  get segments(): readonly StoredSegment[] {
    return this.#segments;
  }

  push(words: readonly LiveWord[]): void {
    for (const { language, ...word } of words) {
      const last = this.#segments.at(-1);
      if (last === undefined || !this.#isOpen || last.language !== language) this.#open(word, language);
      else {
        last.words.push(word);
        last.text = joinTexts([last.text, word.word]);
        last.end = word.end;
        this.#changedFrom = Math.min(this.#changedFrom, last.id);
      }
      this.#isOpen = !SENTENCE_END.test(word.word);
    }
  }

  endTurn(): void {
    this.#isOpen = false;
  }

  /** The segments that are new or have changed since `markSaved`. */
  get changed(): readonly StoredSegment[] {
    return this.#segments.slice(this.#changedFrom);
  }

  markSaved(): void {
    this.#changedFrom = this.#segments.length;
  }

  #open(word: StoredWord, language: string | undefined): void {
    const { word: text, start, end } = word;
    const id = this.#segments.length;
    this.#segments.push({
      ...{ id, text, start, end, speaker_id: null, words: [word] },
      ...(language === undefined ? {} : { language }),
    });
    this.#changedFrom = Math.min(this.#changedFrom, id);
  }
}

/** The live text while the pass for files replaces it, in the transcript's folder. */
const KEPT_FILE = 'live.json';
/** The name of the reading in a word's `alternatives`. */
const READING = 'live';
/** Seconds of segments that are compared at once. */
const COMPARED_SECONDS = 60;

type Deps = Pick<PipelineDeps, 'db' | 'paths'>;

const keptPath = (deps: Deps, id: string): string => join(transcriptFolder(deps, id), KEPT_FILE);

/** Keeps the live text of a transcript before its segments are recognized anew, so that both can be compared. */
export const keepLiveText = async (deps: Deps, { id, audioUrl, checkpoint }: Transcript): Promise<void> => {
  if (audioUrl !== LIVE_URL || checkpoint !== null) return;
  const words = readSegments(deps.db, id).flatMap((segment) => segment.words);
  // An attempt that was interrupted before its first checkpoint may have deleted them: what it kept stays.
  if (words.length > 0) await writeFile(keptPath(deps, id), wordsCodec.encode(packWords(words)));
};

const readKept = async (deps: Deps, id: string): Promise<StoredWord[]> => {
  const text = await readFile(keptPath(deps, id), 'utf8').catch(() => undefined);
  return text === undefined ? [] : unpackWords(wordsCodec.decode(text));
};

/** Segments in groups that are compared at once, with the live words of the same time. */
const groupsOf = (segments: readonly StoredSegment[], live: readonly StoredWord[]) => {
  const groups: { segments: StoredSegment[]; live: StoredWord[] }[] = [];
  let next = 0;
  for (const [index, segment] of segments.entries()) {
    const group = groups.at(-1);
    const first = group?.segments[0];
    if (group === undefined || first === undefined || segment.end - first.start > COMPARED_SECONDS)
      groups.push({ segments: [segment], live: [] });
    else group.segments.push(segment);
    const border = ((segments[index + 1]?.start ?? Infinity) + segment.end) / 2;
    for (
      let word = live[next];
      word !== undefined && (word.start + word.end) / 2 < border;
      word = live[++next]
    )
      groups.at(-1)?.live.push(word);
  }
  return groups;
};

/** Marks the words that were other ones in the live text: they carry that as an alternative, for the review. */
export const markLiveDifferences = async (deps: Deps, { transcript }: JobContext): Promise<void> => {
  const { id, attempt, audioUrl } = transcript;
  if (audioUrl !== LIVE_URL) return;
  const live = await readKept(deps, id);
  if (live.length === 0) return;
  deps.db.transaction(() => {
    if (!isClaimed(deps.db, id, attempt)) throw new AppError('interrupted', 'This job was taken over.');
    for (const group of groupsOf(readSegments(deps.db, id), live)) {
      const words = group.segments.flatMap((segment) => segment.words);
      const compared = compareReadings(words, group.live, READING).words;
      let from = 0;
      for (const segment of group.segments) {
        const own = compared.slice(from, from + segment.words.length);
        from += segment.words.length;
        if (own.every(({ alternatives }) => alternatives === undefined)) continue;
        // Both readings are of one model, so that their agreement proves nothing.
        const marked = segment.words.map((word, index) => {
          const alternatives = own[index]?.alternatives ?? word.alternatives;
          return alternatives === undefined ? word : { ...word, alternatives };
        });
        updateSegment(deps.db, id, { ...segment, words: marked });
      }
    }
  });
};

export const removeLiveText = (deps: Deps, id: string): Promise<void> =>
  rm(keptPath(deps, id), { force: true });
