import type { AnalysisOptions, AnalysisResult, AnalysisTranscript, Summarizer } from './types.ts';

type SummarizerInput = Parameters<Summarizer['summarize']>[0];
type SummarizerItems = Awaited<ReturnType<Summarizer['summarize']>>;

export type ToThread =
  | {
      kind: 'analyze';
      transcript: AnalysisTranscript;
      options: AnalysisOptions;
      secret: string;
      translation: AnalysisTranscript | undefined;
      hasSummarizer: boolean;
    }
  | { kind: 'summary'; items: SummarizerItems }
  | { kind: 'summary'; error: string };

export type FromThread =
  | { kind: 'progress'; share: number }
  | { kind: 'summarize'; input: SummarizerInput }
  | { kind: 'result'; result: AnalysisResult }
  | { kind: 'failed'; error: string };
