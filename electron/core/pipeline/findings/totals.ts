import { mean } from '../../base/numbers.ts';
import { joinTexts } from '../../base/text.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { Transcript } from '../../stores/transcript-record.ts';

const PREVIEW_CHARACTERS = 200;

/** The beginning of a text, which lists show. */
export const previewOf = (text: string): string => text.slice(0, PREVIEW_CHARACTERS);

/** The fields that follow from a transcript's segments; `confidence` is the mean of its words'. */
export const computeTotals = (
  segments: readonly StoredSegment[],
): Pick<Transcript, 'text' | 'preview' | 'wordCount' | 'confidence'> => {
  const text = joinTexts(segments.map((segment) => segment.text));
  const words = segments.flatMap((segment) => segment.words);
  return {
    text,
    preview: previewOf(text),
    wordCount: words.length,
    confidence: words.length === 0 ? null : mean(words.map((word) => word.confidence)),
  };
};
