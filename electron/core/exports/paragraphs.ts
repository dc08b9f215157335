import type { ExportTranscript } from './document.ts';
import { DEFAULT_RULES, endsSentence, joinTokens } from './lines.ts';
import { type TimedToken, timeTokens } from './timed-tokens.ts';

/** Running text of one speaker in one language; times are seconds. */
export type Paragraph = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  /** The code of its language, if that differs from the paragraph before; of the first, from the transcript's. */
  readonly newLanguage: string | null;
};

/** A paragraph ends with the sentence that exceeds this. */
const MAX_PARAGRAPH_CHARACTERS = 600;

const startsParagraph = (before: TimedToken, token: TimedToken, length: number): boolean => {
  if (before.speaker !== token.speaker) return true;
  if (token.startsParagraph !== undefined) return token.startsParagraph;
  if (before.language !== token.language) return true;
  if (!endsSentence(before.text)) return false;
  return length >= MAX_PARAGRAPH_CHARACTERS || token.start - before.end >= DEFAULT_RULES.pauseSeconds;
};

/**
 * Splits a transcript at changes of speaker, where a person said so, and elsewhere at changes of language, and after
 * sentences before a long pause or past the length limit.
 */
export const makeParagraphs = (transcript: ExportTranscript): Paragraph[] => {
  const groups: TimedToken[][] = [];
  let length = 0;
  for (const token of timeTokens(transcript)) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group === undefined || before === undefined || startsParagraph(before, token, length)) {
      groups.push([token]);
      length = token.text.length;
    } else {
      group.push(token);
      length += token.text.length + 1;
    }
  }
  let { language } = transcript;
  return groups.flatMap((group) => {
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) return [];
    const newLanguage = first.language === language ? null : first.language;
    language = first.language ?? language;
    return [
      { text: joinTokens(group), start: first.start, end: last.end, speaker: first.speaker, newLanguage },
    ];
  });
};
