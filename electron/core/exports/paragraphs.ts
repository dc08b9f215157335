import { endsSentence } from './breaks.ts';
import { joinPieces } from './lines.ts';
import { DEFAULT_RULES } from './rules.ts';
import { type TimedPiece, timedPieces } from './timed-words.ts';
import type { ExportTranscript } from './types.ts';

/** Running text of one speaker. Times are seconds. */
export type Paragraph = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
};

/** A paragraph ends with the first sentence that takes it past this many characters. */
const FULL = 600;

const startsParagraph = (before: TimedPiece, piece: TimedPiece, length: number): boolean => {
  if (before.speaker !== piece.speaker) return true;
  if (!endsSentence(before.text)) return false;
  return length >= FULL || piece.start - before.end >= DEFAULT_RULES.pauseSeconds;
};

/** The transcript as paragraphs: a new one where the speaker changes, and after a long pause or a long text. */
export const makeParagraphs = (transcript: ExportTranscript): Paragraph[] => {
  const groups: TimedPiece[][] = [];
  let length = 0;
  for (const piece of timedPieces(transcript)) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group === undefined || before === undefined || startsParagraph(before, piece, length)) {
      groups.push([piece]);
      length = piece.text.length;
    } else {
      group.push(piece);
      length += piece.text.length + 1;
    }
  }
  return groups.flatMap((group) => {
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) return [];
    return [{ text: joinPieces(group), start: first.start, end: last.end, speaker: first.speaker }];
  });
};
