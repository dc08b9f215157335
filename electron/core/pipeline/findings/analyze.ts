import type { AnalysisOptions } from '../../../contract/transcript.ts';
import { analyzeInThread, type ThreadDependencies } from '../../analysis/analyze-in-thread.ts';
import type { AnalysisResult, AnalysisTranscript, RedactedWord, Summarizer } from '../../analysis/types.ts';
import { throwIfAborted } from '../../base/abort.ts';
import type { StoredAnalysis } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import type { SpeakerVoiceRow } from '../../stores/schema.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { Transcript, TranscriptChange } from '../../stores/transcript-record.ts';
import { replaceSpeakerVoices } from '../../stores/voices.ts';
import { summarise } from './totals.ts';

export type AnalyseInput = {
  /** Null where nothing was said. */
  readonly language: string | null;
  readonly segments: readonly StoredSegment[];
  readonly options: AnalysisOptions;
  /** What was said, in English, for the summary. */
  readonly translation?: AnalysisTranscript | undefined;
  readonly signal: AbortSignal;
  /** Share of the work done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
};

/** How a speaker sounds, as it is kept. */
export type KeptVoice = Omit<SpeakerVoiceRow, 'transcript_id' | 'remembered_as'>;

export type Analysed = {
  /** As they may be kept: redacted and masked where that was asked for. */
  readonly segments: readonly StoredSegment[];
  readonly analysis: StoredAnalysis;
  readonly warnings: readonly string[];
  /** What must not be heard. Holds the secrets themselves: never stored, never logged. */
  readonly secrets: readonly RedactedWord[];
  /** How the speakers sound, where they were just told apart. */
  readonly voices?: readonly KeptVoice[];
};

export type Analyser = (input: AnalyseInput) => Promise<Analysed>;

type AnalyserOptions = {
  /** Key of the redaction tokens: this installation's secret. */
  readonly secret: string;
  /** A language model on this machine, where a person set one up. */
  readonly summarizer: (signal: AbortSignal) => Summarizer | undefined;
  /** The thread's file; default: its source. */
  readonly thread?: URL | undefined;
};

const isAsked = (options: AnalysisOptions): boolean =>
  options.entity_detection ||
  options.topics ||
  options.summarization ||
  options.content_safety ||
  options.redact_pii;

/** Longer texts are analysed in a thread: about a quarter of an hour of speech. Characters. */
const LONG_TEXT = 15_000;

/** In a thread where the text is long; where no thread can be had (its file is not there), in this one. */
const run = async (
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: ThreadDependencies & { readonly signal: AbortSignal },
): Promise<AnalysisResult> => {
  if (transcript.text.length > LONG_TEXT) {
    try {
      return await analyzeInThread(transcript, options, dependencies);
    } catch {
      // The analysis itself never throws: what failed is the thread.
      throwIfAborted(dependencies.signal);
    }
  }
  // Loaded when first needed: the lexicons take 80 MB, and most servers analyse nothing, or in the thread.
  const { analyze } = await import('../../analysis/index.ts');
  return analyze(transcript, options, dependencies);
};

/**
 * Makes the text analyses over stored words. What was not asked for is absent from the result, and segments
 * change only by redaction and masking. Gives the event loop turns while it works. Throws `cancelled` alone.
 */
export const createAnalyser =
  ({ secret, summarizer, thread }: AnalyserOptions): Analyser =>
  async ({ language, segments, options, translation, signal, onProgress }) => {
    if (!isAsked(options)) return { segments, analysis: {}, warnings: [], secrets: [] };
    const { text } = summarise(segments);
    const model = options.summarization ? summarizer(signal) : undefined;
    const { redacted, warnings, ...analysis } = await run(
      // With `translate` the text is English, whatever was spoken.
      { language: options.translate ? 'en' : (language ?? 'en'), text, segments: [...segments] },
      options,
      { secret, summarizer: model, translation, onProgress, entry: thread, signal },
    );
    throwIfAborted(signal);
    return {
      segments: redacted === undefined ? segments : redacted.segments.map(storedSegment),
      analysis,
      warnings,
      secrets: redacted?.redacted_words ?? [],
    };
  };

/** The analyses with the speakers, which were told apart before. */
export const withDiarization = (
  analysed: Analysed,
  told: Pick<Analysed, 'warnings' | 'voices'> & Pick<StoredAnalysis, 'speakers'>,
): Analysed => ({
  ...analysed,
  analysis: { ...analysed.analysis, ...(told.speakers === undefined ? {} : { speakers: told.speakers }) },
  warnings: [...told.warnings, ...analysed.warnings],
  ...(told.voices === undefined ? {} : { voices: told.voices }),
});

/** Keeps how the speakers sound, but not with a redacted transcript: a voice is private data, too. */
export const keepVoices = (
  db: WritableDb,
  transcript: Pick<Transcript, 'id' | 'options'>,
  { voices }: Pick<Analysed, 'voices'>,
): void => {
  if (transcript.options.redact_pii) replaceSpeakerVoices(db, transcript.id, []);
  else if (voices !== undefined) replaceSpeakerVoices(db, transcript.id, voices);
};

type AnalysedSegment = NonNullable<AnalysisResult['redacted']>['segments'][number];

const storedSegment = (segment: AnalysedSegment): StoredSegment => ({
  ...segment,
  words: segment.words.map(({ word, start, end, confidence, speaker_id }) => ({
    word,
    start,
    end,
    confidence,
    speaker_id: speaker_id ?? segment.speaker_id,
  })),
});

/** The fields of a transcript that follow from its analysis; `kept` holds the results to keep beside the new ones. */
export const analysedFields = (
  transcript: Pick<Transcript, 'warnings'>,
  analysed: Analysed,
  kept: StoredAnalysis = {},
): TranscriptChange => ({
  ...summarise(analysed.segments),
  analysis: { ...kept, ...analysed.analysis },
  warnings: [...new Set([...transcript.warnings, ...analysed.warnings])],
});
