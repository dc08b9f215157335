import type { WhisperSegment, WhisperToken } from './addon.ts';

/** One UTF-16 unit of a segment's text with the time in which it was said. */
export type Character = { text: string; token: number; probability: number; start: number; end: number };

/**
 * When a token was said. With alignment heads: from its own moment to the next token's. Else whisper's
 * estimate, or the segment's bounds where there is none.
 */
const timesOf = (
  tokens: WhisperToken[],
  index: number,
  segment: WhisperSegment,
): { start: number; end: number } => {
  const token = tokens[index];
  const start = token?.dtw ?? token?.start ?? segment.start;
  if (token?.dtw == null) return { start, end: Math.max(start, token?.end ?? segment.end) };
  const next = tokens[index + 1]?.dtw ?? segment.end;
  // A pause behind a word is not part of it: the estimate ends it earlier.
  const end = token.end !== null && token.end > start ? Math.min(next, token.end) : next;
  return { start, end: Math.max(start, end) };
};

/** The characters of a segment's text; a token's time is divided evenly among its own. */
export const charactersOf = (segment: WhisperSegment): Character[] => {
  const tokens = segment.tokens.filter(({ special }) => !special);
  return tokens.flatMap((token, index) => {
    const { start, end } = timesOf(tokens, index, segment);
    const lead = token.text.length - token.text.trimStart().length;
    const spoken = Math.max(1, token.text.length - lead);
    const step = (end - start) / spoken;
    return Array.from({ length: token.text.length }, (_, position): Character => {
      const place = Math.max(0, position - lead);
      return {
        text: token.text.charAt(position),
        token: index,
        probability: token.probability,
        start: start + place * step,
        end: start + (place + 1) * step,
      };
    });
  });
};
