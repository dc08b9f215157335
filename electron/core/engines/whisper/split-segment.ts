import type { WhisperSegment, WhisperToken } from './types.ts';

/** A pause between two words that ends a segment. Seconds. */
const LONG_PAUSE = 1.5;
/** A segment without a pause or the end of a sentence is cut at the next word. Seconds. */
const MAX_LENGTH = 30;
const SENTENCE_END = /[.?!…。？！]["'”’»)\]]*$/u;
/** What a full stop after it does not end: an initial, a title, a number. */
const ABBREVIATION = /(?:^|[\s(])(?:\p{L}|Dr|Mr|Mrs|Ms|St|Prof|Sr|Jr|vs|No|approx|ca|z\.B|bzw|Nr)\.$/iu;
const WORD_START = /^\s/u;
const STARTS_SENTENCE = /^\s*["'“‘«([¿¡]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;

const endsSentence = (text: string, next: string): boolean =>
  SENTENCE_END.test(text) && !ABBREVIATION.test(text) && STARTS_SENTENCE.test(next);

const lengthOf = (tokens: readonly WhisperToken[], end: number | null): number =>
  (end ?? 0) - (tokens[0]?.start ?? 0);

const isBorder = (tokens: readonly WhisperToken[], text: string, next: WhisperToken): boolean => {
  if (tokens.length === 0 || !WORD_START.test(next.text)) return false;
  const pause = (next.start ?? 0) - (tokens.at(-1)?.end ?? 0);
  return pause >= LONG_PAUSE || lengthOf(tokens, next.end) > MAX_LENGTH || endsSentence(text, next.text);
};

const segmentOf = (whole: WhisperSegment, tokens: WhisperToken[]): WhisperSegment => {
  const spoken = tokens.filter(({ special }) => !special);
  const logprobs = spoken.map(({ probability }) => Math.log(Math.max(probability, 1e-10)));
  return {
    ...whole,
    start: tokens[0]?.start ?? whole.start,
    end: tokens.at(-1)?.end ?? whole.end,
    text: spoken.map(({ text }) => text).join(''),
    averageLogprob: logprobs.reduce((sum, value) => sum + value, 0) / Math.max(1, logprobs.length),
    tokens,
  };
};

/**
 * Splits a segment with the times of its tokens at sentences and long pauses: a transducer writes all that it hears as one.
 * No token is lost, and none moves.
 */
export const splitSegment = (segment: WhisperSegment): WhisperSegment[] => {
  const parts: WhisperToken[][] = [];
  let tokens: WhisperToken[] = [];
  let text = '';
  for (const token of segment.tokens) {
    if (isBorder(tokens, text, token)) {
      parts.push(tokens);
      tokens = [];
      text = '';
    }
    tokens.push(token);
    text += token.text;
  }
  if (tokens.length > 0) parts.push(tokens);
  return parts.map((part) => segmentOf(segment, part));
};
