import { isTerm } from '../../../contract/vocabulary.ts';
import { stopWords } from '../../analysis/topics/stop-words.ts';
import { newId } from '../../base/ids.ts';
import type { Transcript } from '../../stores/codecs.ts';
import {
  type Correction,
  type CorrectionChange,
  readCorrections,
  suggestsTerms,
  updateCorrections,
} from '../../stores/corrections.ts';
import type { ReadableDb, WritableDb } from '../../stores/database.ts';
import type { StoredWord } from '../../stores/segments.ts';
import { commonWords, type Replacement } from './edited-segments.ts';

/** Words of a correction: a term is heard as at most this many (`recognition/vocabulary.ts`). */
const MAX_WORDS = 4;
/** An edit with more changes than this writes another text: nothing is learned from it. */
const MAX_CHANGES = 100;

/** A person may have moved the word since, by this much. */
const MAX_MOVE_MS = 500;

type WordPair = {
  readonly heard: string;
  readonly written: string;
  /** Of what was written, in milliseconds. */
  readonly at: number;
  /** Whether it was the engine that recognized it, and no person who wrote it. */
  readonly isRecognized: boolean;
};

/** Words that an edit replaced or removed, from the beginning of the first to that of the last. */
type ChangedWords = {
  readonly channel: number;
  readonly from: number;
  readonly to: number;
  readonly pairs: readonly WordPair[];
};

/** What an edit may teach. */
type LearnableEdit = {
  readonly changes: readonly ChangedWords[];
  readonly language: string;
  /** Whether it takes an earlier edit back: that corrects nothing. */
  readonly isUndo: boolean;
};

const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

const AROUND = /^[\p{P}\p{S}\s]*(.*?)[\p{P}\p{S}\s]*$/su;
/** Signs that belong to a term at its end: C#, C++. */
const OWN_END = /^[\p{P}\s]*(.*?[#+]+)$/su;

const bare = (text: string): string => (OWN_END.exec(text) ?? AROUND.exec(text))?.[1] ?? text;

const pairOf = (before: readonly StoredWord[], after: readonly StoredWord[]): WordPair => {
  const textOf = (words: readonly StoredWord[]) => words.map(({ word }) => word.trim()).join(' ');
  return {
    heard: textOf(before),
    written: textOf(after),
    at: milliseconds(after[0]?.start ?? 0),
    // Words that a person writes have the confidence 1.
    isRecognized: before.some(({ confidence }) => confidence < 1),
  };
};

const pairsOf = (before: readonly StoredWord[], after: readonly StoredWord[]): WordPair[] => {
  if (before.length > MAX_WORDS || after.length > MAX_WORDS || after.length === 0) return [];
  return before.length === after.length
    ? before.map((word, index) => pairOf([word], after.slice(index, index + 1)))
    : [pairOf(before, after)];
};

const changesOf = async ({ span, replaced }: Replacement): Promise<ChangedWords[]> => {
  const before = replaced.flatMap(({ words }) => words);
  const after = span.segments.flatMap(({ words }) => words);
  const texts = [before, after].map((words) => words.map(({ word }) => word.trim()));
  const pairs = await commonWords(texts[0] ?? [], texts[1] ?? []);
  const changes: ChangedWords[] = [];
  let i = 0;
  let j = 0;
  for (const [keptBefore, keptAfter] of [...pairs, [before.length, after.length] as const]) {
    const [gone, come] = [before.slice(i, keptBefore), after.slice(j, keptAfter)];
    const [first, last] = [gone[0], gone.at(-1)];
    if (first !== undefined && last !== undefined) {
      changes.push({
        channel: replaced[0]?.channel ?? 0,
        from: milliseconds(first.start),
        to: milliseconds(last.start),
        pairs: pairsOf(gone, come),
      });
    }
    i = keptBefore + 1;
    j = keptAfter + 1;
  }
  return changes;
};

/** The words that an edit replaces by others. */
const changedWords = async (replacements: readonly Replacement[]): Promise<ChangedWords[]> => {
  const changes: ChangedWords[] = [];
  for (const replacement of replacements) {
    const { span, replaced } = replacement;
    const isSame =
      replaced.map(({ text }) => text).join(' ') === span.segments.map(({ text }) => text).join(' ');
    if (!isSame) changes.push(...(await changesOf(replacement)));
  }
  if (changes.length <= MAX_CHANGES) return changes;
  return changes.map((change) => ({ ...change, pairs: [] }));
};

const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Whether a correction tells how a term is written: no number, no mask, not case or punctuation alone, no function word. */
const isInstructive = (heard: string, written: string, language: string): boolean => {
  const isWord = (text: string) => isTerm(text) && /\p{L}/u.test(text) && !/^\p{N}/u.test(text);
  if (!isWord(heard) || !isWord(written) || lettersOf(heard) === lettersOf(written)) return false;
  const common = stopWords(language);
  return written.split(' ').some((word) => !common.has(bare(word).toLowerCase()));
};

/** What an edit makes of a transcript's corrections: those of words that it replaces go, or go on with what it wrote. */
export const learnFrom = (
  corrections: readonly Correction[],
  { changes, language, isUndo }: LearnableEdit,
): CorrectionChange => {
  const removed: string[] = [];
  const added: Correction[] = [];
  for (const { channel, from, to, pairs } of changes) {
    const isOld = ({ written }: Correction) => pairs.some(({ heard }) => bare(heard) === written);
    const overwritten = corrections.filter((each) => {
      const slack = isOld(each) ? MAX_MOVE_MS : 0;
      return each.channel === channel && from - slack <= each.at && each.at <= to + slack;
    });
    removed.push(...overwritten.map(({ id }) => id));
    for (const { heard, written, at, isRecognized } of pairs) {
      const earlier = overwritten.find((each) => each.written === bare(heard));
      if (earlier === undefined && (isUndo || !isRecognized)) continue;
      // Before what marks a mask is taken off.
      const isMasked = /[[\]*]/u.test(heard + written);
      const correction = { heard: earlier?.heard ?? bare(heard), written: bare(written) };
      if (isMasked || !isInstructive(correction.heard, correction.written, language)) continue;
      const settled = earlier?.written === correction.written && earlier.settled;
      added.push({ id: newId('cor'), channel, at, ...correction, settled });
    }
  }
  return { removed, added };
};

/** Reads from an edit what it may teach, before it is stored; undefined if its user did not ask for that. */
export const readLesson = async (
  db: ReadableDb,
  { userId, options, language }: Transcript,
  replacements: readonly Replacement[],
  isUndo: boolean,
): Promise<LearnableEdit | undefined> =>
  // A redacted text leaves nothing behind.
  options.redact_pii || !suggestsTerms(db, userId)
    ? undefined
    : { changes: await changedWords(replacements), language: language ?? '', isUndo };

/** Learns from an edit in its transaction. */
export const learn = (db: WritableDb, { id, userId }: Transcript, edit: LearnableEdit | undefined): void => {
  // The user may have changed their mind meanwhile.
  if (edit === undefined || edit.changes.length === 0 || !suggestsTerms(db, userId)) return;
  updateCorrections(db, { userId, transcriptId: id }, learnFrom(readCorrections(db, id), edit));
};
