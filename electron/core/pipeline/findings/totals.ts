import { mean } from '../../base/numbers.ts';
import { joinTexts } from '../../base/text.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { Transcript } from '../../stores/transcript-record.ts';

const PREVIEW = 200;

/** The columns that follow from a transcript's segments: text, preview, word count, mean confidence. */
export const summarise = (
  segments: readonly StoredSegment[],
): Pick<Transcript, 'text' | 'preview' | 'wordCount' | 'confidence'> => {
  const text = joinTexts(segments.map((segment) => segment.text));
  const words = segments.flatMap((segment) => segment.words);
  return {
    text,
    preview: text.slice(0, PREVIEW),
    wordCount: words.length,
    confidence: words.length === 0 ? null : mean(words.map((word) => word.confidence)),
  };
};
