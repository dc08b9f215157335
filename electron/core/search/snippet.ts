import { type Alternatives, type Phrase, wantedPhrases } from './query.ts';
import { type Token, tokenize } from './tokens.ts';

/** UTF-16 offsets, end exclusive. */
export type Mark = [start: number, end: number];

const matchesAt = (tokens: readonly Token[], at: number, phrase: Phrase): boolean =>
  phrase.tokens.every((wanted, index) => {
    const found = tokens[at + index]?.folded;
    const open = phrase.prefix && index === phrase.tokens.length - 1;
    return open ? found?.startsWith(wanted) === true : found === wanted;
  });

/** The matches of a query's words and phrases in a text, in order and without overlaps. */
export const findMarks = (query: Alternatives, text: string): Mark[] => {
  const phrases = wantedPhrases(query);
  const tokens = tokenize(text);
  const marks: Mark[] = [];
  tokens.forEach((token, at) => {
    const length = Math.max(
      0,
      ...phrases.filter((p) => matchesAt(tokens, at, p)).map((p) => p.tokens.length),
    );
    const end = tokens[at + length - 1]?.end;
    if (length === 0 || end === undefined) return;
    const last = marks.at(-1);
    if (last === undefined || last[1] <= token.start) marks.push([token.start, end]);
    else last[1] = Math.max(last[1], end);
  });
  return marks;
};

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

/** Moves a cut to the next space within `reach`, or out of a surrogate pair. */
const cutAt = (text: string, at: number, step: 1 | -1, reach: number): number => {
  for (let moved = 0; moved <= reach; moved++) {
    const place = at + moved * step;
    if (place <= 0 || place >= text.length) break;
    if (/\s/u.test(text.charAt(step === 1 ? place - 1 : place))) return place;
  }
  return isLowSurrogate(text, at) ? at + step : at;
};

/**
 * The text around its first mark, cut at spaces, with "…" for omissions. The returned marks are offsets into the snippet.
 * @param length maximum UTF-16 length of the excerpt; truncates even the first mark.
 */
export const makeSnippet = (
  text: string,
  marks: readonly Mark[],
  length = 160,
): { snippet: string; marks: Mark[] } => {
  const first = marks[0] ?? [0, 0];
  const lead = Math.max(0, Math.min(40, length - (first[1] - first[0])));
  const from =
    first[0] <= lead || text.length <= length ? 0 : Math.min(first[0], cutAt(text, first[0] - lead, 1, lead));
  const to =
    text.length - from <= length
      ? text.length
      : cutAt(text, from + length, -1, Math.min(20, from + length - first[1]));
  const before = from > 0 ? '…' : '';
  const kept = text.slice(from, to);
  const trimmed = to < text.length ? kept.trimEnd() : kept;
  const shift = before.length - from;
  const end = before.length + trimmed.length;
  return {
    snippet: `${before}${trimmed}${to < text.length ? '…' : ''}`,
    marks: marks
      .map((mark): Mark => [mark[0] + shift, Math.min(mark[1] + shift, end)])
      .filter((mark) => mark[0] >= before.length && mark[0] < mark[1]),
  };
};
