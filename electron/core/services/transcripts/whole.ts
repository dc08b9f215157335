import type { Transcription } from '../../../contract/transcript.ts';
import { spokenLanguages } from '../../base/spoken-languages.ts';
import { joinTexts } from '../../base/text.ts';
import { readSegmentsOf } from '../../stores/read-only.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import { presentSegments } from './present.ts';

/** A transcription as its user sees it, and its segments as they are stored. */
export type WholeTranscript = {
  readonly transcription: Transcription;
  readonly segments: readonly StoredSegment[];
};

/** A transcription whose segments are still to be read. */
export type Outline = {
  readonly transcription: Transcription;
  readonly withWords: boolean;
  /** Of a waiting or running transcription, whose text does not follow its segments yet; otherwise 0. */
  readonly savedSegments: number;
};

/**
 * Reads the segments of an outline from the database file: for threads. Undefined if the text has changed since the
 * outline was made.
 */
export const completeOutline = (
  databasePath: string,
  { transcription, withWords, savedSegments }: Outline,
): WholeTranscript | undefined => {
  const segments = readSegmentsOf(databasePath, transcription.id);
  const isSame = savedSegments > 0 || joinTexts(segments.map(({ text }) => text)) === transcription.text;
  if (!isSame) return undefined;
  const languages = spokenLanguages(segments);
  return {
    transcription: { ...transcription, languages, segments: presentSegments(segments, withWords) },
    segments,
  };
};
