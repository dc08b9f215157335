import type { AnalysisOptions } from '../../../contract/transcript.ts';
import { type StoredWarning, uniqueWarnings } from '../../../contract/warnings.ts';
import { AnalysisThreads, type ThreadDependencies } from '../../analysis/analyze-in-thread.ts';
import type {
  AnalysisResult,
  AnalysisTranscript,
  PrivateDataTagger,
  RedactedWord,
  Summarizer,
} from '../../analysis/types.ts';
import { throwIfAborted } from '../../base/abort.ts';
import type { StoredAnalysis } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import { replaceSpeakerEmbeddings } from '../../stores/speakers.ts';
import type { Transcript, TranscriptChange } from '../../stores/transcript-record.ts';
import type { PipelineDeps } from '../deps.ts';
import type { JobContext } from '../types.ts';
import type { Diarized } from './diarize.ts';
import { computeTotals } from './totals.ts';
import { type TranslateInput, translateForSummary } from './translate.ts';

export type AnalyzeInput = {
  /** Null if nothing was said. */
  readonly language: string | null;
  readonly segments: readonly StoredSegment[];
  readonly options: AnalysisOptions;
  /** The text in English, for an English summary. */
  readonly translation?: AnalysisTranscript | undefined;
  readonly signal: AbortSignal;
  /** The share of the work that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
};

/** What was found in a transcript, and the segments to store with it. */
export type Findings = {
  /** Redacted and masked if the options ask for it. */
  readonly segments: readonly StoredSegment[];
  readonly analysis: StoredAnalysis;
  readonly warnings: readonly StoredWarning[];
  /** The redacted words, to cover in the audio. Never stored, never logged. */
  readonly secrets: readonly RedactedWord[];
};

export type Analyzer = (input: AnalyzeInput) => Promise<Findings>;

type AnalyzerOptions = {
  /** Key of the redaction tokens: a secret of this installation. */
  readonly secret: string;
  /** The language model, if one is set up. */
  readonly summarizer: (signal: AbortSignal) => Summarizer | undefined;
  /** Finds private data beside the rules. */
  readonly tagger?: ((signal: AbortSignal) => PrivateDataTagger) | undefined;
  /** The thread's file; default: its source. */
  readonly thread?: URL | undefined;
};

export const hasAnalyses = (options: AnalysisOptions): boolean =>
  options.entity_detection ||
  options.topics ||
  options.summarization ||
  options.content_safety ||
  options.redact_pii;

/** The analyses of longer texts, of about a quarter of an hour of speech, follow their edits. Characters. */
export const MIN_LONG_TEXT = 15_000;

const runAnalyses = async (
  threads: AnalysisThreads,
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: ThreadDependencies & { readonly signal: AbortSignal },
): Promise<AnalysisResult> => {
  try {
    return await threads.analyze(transcript, options, dependencies);
  } catch {
    // Analyses never throw, so the thread itself failed, e.g. for lack of its file: analyze here.
    throwIfAborted(dependencies.signal);
  }
  // Imported when first needed, since the word lists take 80 MB.
  const { analyze } = await import('../../analysis/analyze.ts');
  return analyze(transcript, options, dependencies);
};

/**
 * Runs the text analyses that the options ask for; the results of others are absent. Changes segments only by
 * redacting and masking. Throws only `cancelled`.
 */
export const createAnalyzer = ({ secret, summarizer, tagger, thread }: AnalyzerOptions): Analyzer => {
  const threads = new AnalysisThreads(thread);
  return async ({ language, segments, options, translation, signal, onProgress }) => {
    if (!hasAnalyses(options)) return { segments, analysis: {}, warnings: [], secrets: [] };
    const { text } = computeTotals(segments);
    const { redacted, warnings, ...analysis } = await runAnalyses(
      threads,
      // With `translate` the text is English, whatever language was spoken.
      { language: options.translate ? 'en' : (language ?? 'en'), text, segments: [...segments] },
      options,
      {
        secret,
        summarizer: options.summarization ? summarizer(signal) : undefined,
        tagger: tagger?.(signal),
        translation,
        onProgress,
        signal,
      },
    );
    throwIfAborted(signal);
    return {
      segments:
        redacted === undefined
          ? segments
          : redacted.segments.map((segment) => toStoredSegment(segment, !options.redact_pii)),
      analysis,
      warnings,
      secrets: redacted?.redacted_words ?? [],
    };
  };
};

type RedactedSegment = NonNullable<AnalysisResult['redacted']>['segments'][number];

/** Another reading of a redacted text may be the private word itself, so that none is kept. */
const toStoredSegment = (segment: RedactedSegment, keepsAlternatives: boolean): StoredSegment => ({
  ...segment,
  words: segment.words.map(({ alternatives, isPrivate, ...word }) => ({
    ...word,
    ...(isPrivate === false ? { isPrivate } : {}),
    speaker_id: word.speaker_id ?? segment.speaker_id,
    ...(alternatives === undefined || !keepsAlternatives ? {} : { alternatives }),
  })),
});

type AnalyzeTranscriptInput = Omit<TranslateInput, 'segments'> & {
  readonly diarized: Diarized;
  readonly onProgress: (share: number) => void;
};

/** Analyzes a diarized transcript with its own options, translating it first if a summary needs that. */
export const analyzeTranscript = async (
  deps: PipelineDeps,
  context: JobContext,
  { diarized, onProgress, ...input }: AnalyzeTranscriptInput,
): Promise<Findings> => {
  const { options } = context.transcript;
  const { segments, speakers } = diarized;
  const { translation, warnings } = await translateForSummary(deps, context, { ...input, segments }, options);
  onProgress(0);
  const { language } = input;
  const { signal } = context;
  const findings = await deps.analyze({ language, segments, options, translation, signal, onProgress });
  return {
    ...findings,
    analysis: { ...findings.analysis, ...(speakers === undefined ? {} : { speakers }) },
    warnings: [...diarized.warnings, ...warnings, ...findings.warnings],
  };
};

/**
 * Stores the embeddings of a new diarization; removes all of them from a redacted transcript, because a speaker
 * embedding is private data, too.
 */
export const storeEmbeddings = (
  db: WritableDb,
  transcript: Pick<Transcript, 'id' | 'options'>,
  { embeddings }: Pick<Diarized, 'embeddings'>,
): void => {
  if (transcript.options.redact_pii) replaceSpeakerEmbeddings(db, transcript.id, []);
  else if (embeddings !== undefined) replaceSpeakerEmbeddings(db, transcript.id, embeddings);
};

/** The fields of a transcript that follow from new findings; `kept` are earlier results to keep beside them. */
export const findingsFields = (
  transcript: Pick<Transcript, 'warnings'>,
  findings: Pick<Findings, 'segments' | 'analysis' | 'warnings'>,
  kept: StoredAnalysis = {},
  totals = computeTotals(findings.segments),
): TranscriptChange => ({
  ...totals,
  analysis: { ...kept, ...findings.analysis },
  warnings: uniqueWarnings([...transcript.warnings, ...findings.warnings]),
});
