import type { YieldIfDue } from '../../base/event-loop.ts';
import { joinTexts, separatorBetween } from '../../base/text.ts';
import { type LocatedWord, locateSegments, locateSegmentWords } from '../offsets.ts';
import type { AnalysisSegment, AnalysisTranscript, AnalysisWord, RedactedWord } from '../types.ts';
import { applyOperator, type RedactionOperator } from './operators.ts';
import type { RedactionSpan } from './redaction-spans.ts';

/** The start and end in the new text of each UTF-16 unit of the old one; -1 if removed. */
export type OffsetMap = {
  starts: Int32Array;
  ends: Int32Array;
};

export type RewrittenTranscript = {
  transcript: AnalysisTranscript;
  words: RedactedWord[];
  map: OffsetMap;
};

/** Segments between two yields. */
const BATCH = 50;

/** The part of a span inside one segment, and what replaces it there. */
type Replacement = RedactionSpan & {
  substitute: string;
};

/**
 * Applies the operator to text, segments and words. A span across segments leaves its hash token in the first one;
 * masks keep the length. Segments that lose all text stay, with an empty text.
 */
export const rewriteTranscript = async (
  transcript: AnalysisTranscript,
  spans: readonly RedactionSpan[],
  operator: RedactionOperator,
  yieldIfDue: YieldIfDue,
): Promise<RewrittenTranscript> => {
  const { text, segments } = transcript;
  const ranges = locateSegments(text, segments);
  await yieldIfDue();
  const map = { starts: new Int32Array(text.length).fill(-1), ends: new Int32Array(text.length).fill(-1) };
  const redacted: RedactedWord[] = [];
  const texts: string[] = [];
  let length = 0;
  let previous = '';
  let next = 0;
  const rewritten: AnalysisSegment[] = [];
  for (const [index, segment] of segments.entries()) {
    if (index % BATCH === 0) await yieldIfDue();
    const range = ranges[index] ?? { from: 0, to: 0 };
    while ((spans[next]?.to ?? Number.POSITIVE_INFINITY) <= range.from) next += 1;
    const replacements = replacementsIn(text, spans, next, range, operator);
    const replaced = rewriteSegmentText(text, range, replacements, operator.method === 'remove');
    length += previous === '' || replaced.text === '' ? 0 : separatorBetween(previous, replaced.text).length;
    recordOffsets(map, replaced, length);
    length += replaced.text.length;
    if (replaced.text !== '') previous = replaced.text;
    texts.push(replaced.text);
    const located = locateSegmentWords(text, range, segment, index);
    redacted.push(...redactedWordsIn(segment, located, replacements));
    const words = segment.words.length > 0 ? rewriteWords(text, located, replacements) : [];
    rewritten.push({ ...segment, text: replaced.text, words });
  }
  return { transcript: { ...transcript, text: joinTexts(texts), segments: rewritten }, words: redacted, map };
};

const replacementsIn = (
  text: string,
  spans: readonly RedactionSpan[],
  first: number,
  range: { from: number; to: number },
  operator: RedactionOperator,
): Replacement[] => {
  const replacements: Replacement[] = [];
  for (let index = first; index < spans.length; index++) {
    const span = spans[index];
    if (!span || span.from >= range.to) break;
    const from = Math.max(span.from, range.from);
    const to = Math.min(possessiveEnd(text, span.to, operator), range.to);
    if (from >= to) continue;
    const whole = operator.method === 'mask' ? text.slice(from, to) : text.slice(span.from, span.to);
    const token =
      operator.method === 'hash' && span.from < range.from ? '' : applyOperator(whole, span.policy, operator);
    replacements.push({ from, to, policy: span.policy, substitute: token });
  }
  return replacements;
};

/** `remove` takes a possessive ending with the word. */
const possessiveEnd = (text: string, to: number, operator: RedactionOperator): number =>
  operator.method === 'remove' && /^['’]s(?!\p{L})/u.test(text.slice(to, to + 3)) ? to + 2 : to;

type RewrittenText = {
  text: string;
  /** For each UTF-16 unit of the segment's old text: start and end in its new text, or -1. */
  starts: number[];
  ends: number[];
  from: number;
};

const rewriteSegmentText = (
  text: string,
  range: { from: number; to: number },
  replacements: readonly Replacement[],
  closing: boolean,
): RewrittenText => {
  const starts: number[] = [];
  const ends: number[] = [];
  let out = '';
  let closes = false;
  let at = range.from;
  for (const replacement of [...replacements, undefined]) {
    const stop = replacement?.from ?? range.to;
    for (; at < stop; at++) {
      const sign = text[at] ?? '';
      const joined = closes ? appendAfterRemoval(out, sign) : { out, keep: true };
      out = joined.out;
      starts.push(joined.keep ? out.length : -1);
      if (joined.keep) out += sign;
      ends.push(joined.keep ? out.length : -1);
      if (/[\p{L}\p{N}]/u.test(sign)) closes = false;
    }
    if (!replacement) break;
    for (; at < replacement.to; at++) {
      starts.push(replacement.substitute === '' ? -1 : out.length);
      ends.push(replacement.substitute === '' ? -1 : out.length + replacement.substitute.length);
    }
    out += replacement.substitute;
    closes = closing || replacement.substitute === '';
  }
  const trimmed = out.trimEnd();
  const lead = trimmed.length - trimmed.trimStart().length;
  return {
    text: trimmed.trimStart(),
    starts: shiftOffsets(starts, lead),
    ends: shiftOffsets(ends, lead),
    from: range.from,
  };
};

const shiftOffsets = (offsets: readonly number[], lead: number): number[] =>
  offsets.map((offset) => (offset < 0 ? -1 : Math.max(0, offset - lead)));

/** Decides whether to keep a character after a removal: no double spaces, no space before a mark, no two commas. */
const appendAfterRemoval = (out: string, sign: string): { out: string; keep: boolean } => {
  const last = out.at(-1) ?? '';
  if (/\s/u.test(sign)) return { out, keep: last !== '' && !/\s/u.test(last) };
  if (!/[,.;:!?]/u.test(sign)) return { out, keep: true };
  const bare = out.trimEnd();
  const before = bare.at(-1) ?? '';
  if (/[,;:]/u.test(sign)) return { out: bare, keep: before !== '' && !/[,.;:!?]/u.test(before) };
  if (/[,;:]/u.test(before)) return { out: bare.slice(0, -1), keep: true };
  return { out: bare, keep: before !== '' && !/[.!?]/u.test(before) };
};

const recordOffsets = (map: OffsetMap, replaced: RewrittenText, offset: number): void => {
  for (const [index, start] of replaced.starts.entries()) {
    const end = replaced.ends[index] ?? -1;
    if (start < 0 || end < 0) continue;
    map.starts[replaced.from + index] = offset + start;
    map.ends[replaced.from + index] = offset + end;
  }
};

const replacementAt = (word: LocatedWord, replacements: readonly Replacement[]): Replacement | undefined =>
  replacements.find((replacement) => replacement.from < word.to && word.from < replacement.to);

const redactedWordsIn = (
  segment: AnalysisSegment,
  located: readonly LocatedWord[],
  replacements: readonly Replacement[],
): RedactedWord[] =>
  located.flatMap((word) => {
    const replacement = replacementAt(word, replacements);
    if (!replacement) return [];
    return [
      { segment: segment.id, word: word.word, start: word.start, end: word.end, policy: replacement.policy },
    ];
  });

/**
 * Applies the replacements to words: a hash token becomes one word with the time of those it replaces. A word that
 * differs from the text, which a person may have edited, takes its text from there.
 */
const rewriteWords = (
  text: string,
  located: readonly LocatedWord[],
  replacements: readonly Replacement[],
): AnalysisWord[] => {
  const out: AnalysisWord[] = [];
  let current: { replacement: Replacement; word: AnalysisWord } | undefined;
  for (const word of located) {
    const replacement = replacementAt(word, replacements);
    const { word: _own, segment: _segment, from, to, ...times } = word;
    if (!replacement) {
      current = undefined;
      if (to > from) out.push({ ...times, word: text.slice(from, to) });
      continue;
    }
    const before = text.slice(from, Math.max(from, replacement.from));
    const after = textAfterReplacement(text, word, replacement, replacements);
    const masked =
      replacement.substitute !== '' &&
      replacement.substitute.length === replacement.to - replacement.from &&
      !replacement.substitute.startsWith('[');
    if (masked) {
      out.push({ ...times, word: maskedWord(text, word, replacements) });
    } else if (current?.replacement === replacement) {
      current.word.word += after;
      current.word.end = Math.max(current.word.end, word.end);
    } else if (replacement.substitute !== '') {
      const merged = { ...times, word: before + replacement.substitute + after };
      out.push(merged);
      current = { replacement, word: merged };
    } else {
      appendRemainder(out, times, before + after);
    }
  }
  return out;
};

/** The rest of a word after a replacement, with further replacements applied. */
const textAfterReplacement = (
  text: string,
  word: LocatedWord,
  replacement: Replacement,
  replacements: readonly Replacement[],
): string => {
  let rest = '';
  let at = replacement.to;
  for (const next of replacements) {
    if (next.from < replacement.to || next.from >= word.to) continue;
    rest += text.slice(at, next.from) + next.substitute;
    at = next.to;
  }
  return rest + text.slice(at, Math.max(at, word.to));
};

const maskedWord = (text: string, word: LocatedWord, replacements: readonly Replacement[]): string => {
  let out = '';
  let at = word.from;
  for (const replacement of replacements) {
    if (replacement.to <= word.from || replacement.from >= word.to) continue;
    const from = Math.max(replacement.from, word.from);
    const to = Math.min(replacement.to, word.to);
    out +=
      text.slice(at, from) + replacement.substitute.slice(from - replacement.from, to - replacement.from);
    at = to;
  }
  return out + text.slice(at, word.to);
};

/** Keeps the rest of a removed word: letters as a word, a sentence mark at the word before. */
const appendRemainder = (out: AnalysisWord[], times: Omit<AnalysisWord, 'word'>, rest: string): void => {
  if (/[\p{L}\p{N}]/u.test(rest)) {
    out.push({ ...times, word: rest });
    return;
  }
  const last = out.at(-1);
  const mark = /[.!?]/u.exec(rest)?.[0];
  if (last && mark && !/[.!?]$/u.test(last.word)) last.word = last.word.replace(/[,;:]$/u, '') + mark;
};
