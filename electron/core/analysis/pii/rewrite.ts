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

/** The part of a span inside one segment, and what replaces it there. */
type Replacement = RedactionSpan & {
  substitute: string;
};

/**
 * Applies the operator to text, segments and words. A span across segments leaves its hash token in the first one;
 * masks keep the length. Segments that lose all text stay, with an empty text.
 */
export const rewriteTranscript = (
  transcript: AnalysisTranscript,
  spans: readonly RedactionSpan[],
  operator: RedactionOperator,
): RewrittenTranscript => {
  const { text, segments } = transcript;
  const ranges = locateSegments(text, segments);
  const map = { starts: new Int32Array(text.length).fill(-1), ends: new Int32Array(text.length).fill(-1) };
  const redacted: RedactedWord[] = [];
  const texts: string[] = [];
  let length = 0;
  let previous = '';
  let next = 0;
  const rewritten: AnalysisSegment[] = [];
  for (const [index, segment] of segments.entries()) {
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
    const words = segment.words.length > 0 ? rewriteWords(replaced, located, replacements) : [];
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
    const { substitute } = replacement;
    const isMask = isMasked(replacement);
    for (; at < replacement.to; at++) {
      const sign = out.length + at - replacement.from;
      starts.push(substitute === '' ? -1 : isMask ? sign : out.length);
      ends.push(substitute === '' ? -1 : isMask ? sign + 1 : out.length + substitute.length);
    }
    out += substitute;
    closes = closing || substitute === '';
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

const isMasked = ({ from, to, substitute }: Replacement): boolean =>
  substitute.length === to - from && !substitute.startsWith('[');

/** The range of a part of the old text in the segment's new text, or undefined where nothing of it is left. */
const newRange = (
  { text, starts, ends, from: offset }: RewrittenText,
  from: number,
  to: number,
): { from: number; to: number } | undefined => {
  let range: { from: number; to: number } | undefined;
  for (let at = from - offset; at < to - offset; at++) {
    const [start = -1, end = -1] = [starts[at], ends[at]];
    if (start < 0 || end <= start || start >= text.length) continue;
    range = { from: Math.min(range?.from ?? start, start), to: Math.max(range?.to ?? end, end) };
  }
  return range && { from: range.from, to: Math.min(range.to, text.length) };
};

/**
 * The words as they stand in the segment's new text. A hash token becomes one word with the time of those it replaces. Of a
 * removed word, letters that are left are a word, and signs belong to the word that they touch.
 */
const rewriteWords = (
  rewritten: RewrittenText,
  located: readonly LocatedWord[],
  replacements: readonly Replacement[],
): AnalysisWord[] => {
  const out: AnalysisWord[] = [];
  /** Where the last word in `out` ends. */
  let end = 0;
  for (const word of located) {
    const { word: _own, segment: _segment, isPrivate, from, to, ...times } = word;
    const range = newRange(rewritten, from, to);
    if (range === undefined) continue;
    const replacement = replacementAt(word, replacements);
    const last = out.at(-1);
    const own = rewritten.text.slice(Math.max(range.from, end), range.to);
    const isWord = replacement === undefined || /[\p{L}\p{N}*]/u.test(own);
    if (last !== undefined && (range.from < end || (range.from === end && !isWord))) {
      last.word += own;
      if (word.subtitleEnd !== undefined) last.subtitleEnd = word.subtitleEnd;
      if (replacement !== undefined && replacement.substitute !== '') last.end = Math.max(last.end, word.end);
    } else if (own !== '' && isWord) {
      const shown = replacement === undefined && isPrivate === false ? { isPrivate } : {};
      out.push({ ...times, ...shown, word: own });
    } else continue;
    end = Math.max(end, range.to);
  }
  return out;
};
