import { joinTexts } from '../../analysis/document.ts';
import { mean } from '../../base/numbers.ts';
import type { TranscriptRow } from '../../stores/schema.ts';
import type { StoredSegment } from '../../stores/segments.ts';

const PREVIEW = 200;

/** The columns that follow from a transcript's segments: text, preview, word count, mean confidence. */
export const summarise = (
  segments: readonly StoredSegment[],
): Pick<TranscriptRow, 'text' | 'preview' | 'word_count' | 'confidence'> => {
  const text = joinTexts(segments.map((segment) => segment.text));
  const words = segments.flatMap((segment) => segment.words);
  return {
    text,
    preview: text.slice(0, PREVIEW),
    word_count: words.length,
    confidence: words.length === 0 ? null : mean(words.map((word) => word.confidence)),
  };
};
