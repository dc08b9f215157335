import type { StoredWord } from '../../stores/segments.ts';
import { normalize } from '../recognition/words.ts';

/** A word as it was heard, with the language in which it was recognized. */
export type LiveWord = StoredWord & { readonly language?: string | undefined };

/** Words this far apart are not the same one; seconds. */
const MAX_SHIFT = 1.5;

const isSame = (a: LiveWord, b: LiveWord): boolean =>
  normalize(a.word) === normalize(b.word) && Math.abs(a.start - b.start) <= MAX_SHIFT;

/**
 * How many words at the beginning of a decoding are what is committed already: those that can be changed into it with the
 * fewest edits, and of several such numbers that after which the next word begins nearest to the end of what is committed.
 */
export const committedPart = (committed: readonly LiveWord[], words: readonly LiveWord[]): number => {
  const last = committed.at(-1);
  if (last === undefined) return 0;
  let costs = words.map((_, index) => index + 1);
  costs.unshift(0);
  for (const [row, word] of committed.entries()) {
    const next = [row + 1];
    for (const [column, other] of words.entries()) {
      const replaced = (costs[column] ?? 0) + (isSame(word, other) ? 0 : 1);
      next.push(Math.min(replaced, (costs[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    costs = next;
  }
  const least = Math.min(...costs);
  const distance = (count: number): number => Math.abs((words[count]?.start ?? last.end) - last.end);
  return costs.reduce((best, cost, count) => {
    if (cost !== least) return best;
    return best < 0 || distance(count) < distance(best) ? count : best;
  }, -1);
};

/**
 * Decides which words of a growing recording are settled: those on which two decodings in a row agree (LocalAgreement-2, Macháček
 * et al. 2023, "Turning Whisper into Real-Time Transcription System"). Committed words never change; all others may.
 */
export class Agreement {
  /** Those committed words that lie in the audio which is decoded. */
  #committed: readonly LiveWord[] = [];
  #tentative: readonly LiveWord[] = [];
  /** No word is committed with an earlier time; seconds. */
  #end = 0;

  /** What the last decoding has behind the committed words. */
  get tentative(): readonly LiveWord[] {
    return this.#tentative;
  }

  /** The end of the last committed word; seconds. */
  get end(): number {
    return this.#end;
  }

  /** Takes the next decoding of the audio, and returns the words that it settles. */
  insert(words: readonly LiveWord[]): readonly LiveWord[] {
    const rest = words.slice(committedPart(this.#committed, words));
    let count = 0;
    for (const [index, word] of rest.entries()) {
      const before = this.#tentative[index];
      if (before === undefined || normalize(before.word) !== normalize(word.word)) break;
      // The end of a decoding looks like the end of a sentence.
      if (index === rest.length - 1 && before.word !== word.word) break;
      count++;
    }
    return this.#commit(rest, count);
  }

  /** Takes the last decoding of the audio, all of whose words are settled. */
  close(words: readonly LiveWord[]): readonly LiveWord[] {
    const rest = words.slice(committedPart(this.#committed, words));
    return this.#commit(rest, rest.length);
  }

  /** The audio before `time` is not decoded again. */
  forgetBefore(time: number): void {
    this.#committed = this.#committed.filter(({ start }) => start >= time);
  }

  #commit(words: readonly LiveWord[], count: number): readonly LiveWord[] {
    const committed = words.slice(0, count).map((word) => {
      const start = Math.max(word.start, this.#end);
      const end = Math.max(word.end, start);
      this.#end = end;
      return { ...word, start, end };
    });
    this.#committed = [...this.#committed, ...committed];
    this.#tentative = words.slice(count);
    return committed;
  }
}
