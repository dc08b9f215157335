import type {
  AnalysisOptions,
  AnalysisResult,
  AnalysisSegment,
  AnalysisTranscript,
  PrivateDataTagger,
  Summarizer,
} from './types.ts';

type SummarizerInput = Parameters<Summarizer['summarize']>[0];
type Tags = Awaited<ReturnType<PrivateDataTagger['tag']>>;
type SummarizerItems = Awaited<ReturnType<Summarizer['summarize']>>;

/** Segments are sent in batches before the message they belong to: cloning hours of words at once blocks too long. */
export type SegmentsMessage = {
  kind: 'segments';
  segments: AnalysisSegment[];
};

export type ToThread =
  | SegmentsMessage
  | {
      kind: 'analyze';
      /** Without its segments. */
      transcript: AnalysisTranscript;
      options: AnalysisOptions;
      secret: string;
      translation: AnalysisTranscript | undefined;
      hasSummarizer: boolean;
      hasTagger: boolean;
    }
  /** Asks for the next batch of segments. */
  | { kind: 'next' }
  | { kind: 'summary'; items: SummarizerItems }
  | { kind: 'summary'; error: string }
  | { kind: 'tags'; tags: Tags }
  | { kind: 'tags'; error: string };

export type FromThread =
  | SegmentsMessage
  | { kind: 'progress'; share: number }
  | { kind: 'summarize'; input: SummarizerInput }
  | { kind: 'tag'; sentences: string[] }
  /** Without the segments of `redacted`. */
  | { kind: 'result'; result: AnalysisResult }
  | { kind: 'failed'; error: string };

const BATCH = 100;

/** Splits segments into messages of a bounded size. */
export const inBatches = (segments: readonly AnalysisSegment[]): SegmentsMessage[] => {
  const count = Math.ceil(segments.length / BATCH);
  return Array.from({ length: count }, (_, index) => {
    return { kind: 'segments', segments: segments.slice(index * BATCH, (index + 1) * BATCH) };
  });
};
