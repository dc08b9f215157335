import type { Summary, SummaryType } from '../../contract/analysis.ts';
import type { Transcription } from '../../contract/transcript.ts';
import { summarize } from '../analysis/summary/summarize.ts';
import { joinTexts } from '../base/text.ts';
import { formatLongClock } from '../base/time.ts';
import { makeParagraphs, showsSpeakers, speakerName } from '../exports/document.ts';

/** Part of a transcript as text: one line per paragraph, with its time and, if known, its speaker. */
export type Passage = {
  readonly text: string;
  /** Seconds at which the next passage begins; null at the end. */
  readonly nextFrom: number | null;
};

export type PassageRange = {
  /** Seconds on the recording's timeline. */
  readonly from: number;
  readonly to: number;
  /** Limits the length, but the passage always has at least one paragraph. */
  readonly maxCharacters: number;
};

/** The paragraphs between two times, up to `maxCharacters`. */
export const readPassage = (transcript: Transcription, range: PassageRange): Passage => {
  const named = showsSpeakers(transcript, undefined);
  const lines: string[] = [];
  let length = 0;
  for (const { start, end, speaker, text } of makeParagraphs(transcript)) {
    if (end <= range.from || start >= range.to) continue;
    const name = named && speaker !== null ? `${speakerName(transcript, speaker)}: ` : '';
    const line = `[${formatLongClock(start)}] ${name}${text}`;
    length += line.length + 1;
    if (length > range.maxCharacters && lines.length > 0) return { text: lines.join('\n'), nextFrom: start };
    lines.push(line);
  }
  return { text: lines.join('\n'), nextFrom: null };
};

/** The transcript's summary if it has one of this type, else a new extractive one in the transcript's language. */
export const summaryOf = async (transcript: Transcription, type: SummaryType): Promise<Summary> => {
  if (transcript.summary?.type === type) return transcript.summary;
  const segments = transcript.segments.map(({ language: _, words = [], ...segment }) => ({
    ...segment,
    words,
  }));
  const { summary } = await summarize(
    {
      language: transcript.language ?? 'en',
      text: joinTexts(segments.map((segment) => segment.text)),
      segments,
    },
    { type },
  );
  return summary;
};
