import type { WhisperSegment, WhisperToken } from './types.ts';

/** One UTF-16 unit of a segment's text with the time in which it was said. */
export type Character = { text: string; token: number; probability: number; start: number; end: number };

/** When a token was said: whisper's estimate, or the segment's bounds without one. */
const timesOf = (token: WhisperToken, segment: WhisperSegment): { start: number; end: number } => {
  const start = token.start ?? segment.start;
  return { start, end: Math.max(start, token.end ?? segment.end) };
};

/** The characters of a segment's text; a token's time is divided evenly among its own. */
export const charactersOf = (segment: WhisperSegment): Character[] => {
  const tokens = segment.tokens.filter(({ special }) => !special);
  return tokens.flatMap((token, index) => {
    const { start, end } = timesOf(token, segment);
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
