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
import { createYielder } from '../../base/event-loop.ts';
import { mean } from '../../base/numbers.ts';
import { joinTexts } from '../../base/text.ts';
import { WAITS } from '../../base/waits.ts';
import { type ChatEndpoint, createLocalSummarizer } from '../../engines/llm/summarizer.ts';
import type { HttpClient, OpenedResponse } from '../../engines/net/types.ts';
import type { StoredAnalysis, Transcript, TranscriptChange } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import { type IndexedText, prepareIndexedText } from '../../stores/search.ts';
import { type StagedSegments, type StoredSegment, stageSegments } from '../../stores/segments.ts';
import { replaceSpeakerEmbeddings } from '../../stores/speakers.ts';
import type { JobContext, PipelineDeps } from '../deps.ts';
import type { Diarized } from './diarize.ts';
import { type TranslateInput, translateForSummary } from './translate.ts';

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

/** The text of a job's transcript, ready to be stored. */
type PreparedText = {
  readonly totals: ReturnType<typeof computeTotals>;
  readonly segments: StagedSegments;
  readonly indexed: IndexedText;
};

/**
 * Does what is costly about storing ten hours of text while other requests are let in, so that little is left for the
 * transaction. The job is the only one that writes the segments. Throws `interrupted` if it no longer holds the job.
 */
export const prepareText = async (
  db: WritableDb,
  job: { readonly id: string; readonly attempt: number },
  segments: readonly StoredSegment[],
): Promise<PreparedText> => {
  const yieldIfDue = createYielder();
  const totals = computeTotals(segments);
  await yieldIfDue();
  const indexed = await prepareIndexedText(totals.text, yieldIfDue);
  return { totals, indexed, segments: await stageSegments(db, job, segments, yieldIfDue) };
};

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const readAll = async ({ body }: OpenedResponse): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part: Buffer = chunk;
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('The answer is too long.');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** A `fetch` on our HTTP client, so that the offline switch and the connection log apply. */
const fetchThrough =
  (http: HttpClient, stallSeconds: number): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await http.open({
      url: String(input),
      purpose: 'llm',
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(init?.method === 'POST' ? { method: 'POST' as const, body: String(init.body ?? '') } : {}),
      maxRedirects: 0,
      stallSeconds,
      ...(init?.signal ? { signal: init.signal } : {}),
    });
    return new Response(await readAll(response), { status: response.status });
  };

type LanguageModelSettings = {
  readonly url: string;
  readonly model: string;
};

export const isConfigured = ({ url, model }: Pick<LanguageModelSettings, 'url' | 'model'>): boolean =>
  url !== '' && model !== '';

/** The endpoint that the settings name. */
export const endpointOf = (
  http: HttpClient,
  { url, model }: LanguageModelSettings,
  signal?: AbortSignal,
): ChatEndpoint => ({
  baseUrl: url,
  model,
  timeoutMs: WAITS.languageModelSeconds * 1000,
  fetch: fetchThrough(http, WAITS.languageModelSeconds),
  ...(signal === undefined ? {} : { signal }),
});

/** A summarizer on the configured language model; undefined if none is configured. */
export const summarizerOf = (
  http: HttpClient,
  settings: LanguageModelSettings,
  signal: AbortSignal,
): Summarizer | undefined =>
  isConfigured(settings) ? createLocalSummarizer(endpointOf(http, settings, signal)) : undefined;

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
