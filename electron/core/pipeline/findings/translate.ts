import type { AnalysisOptions } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import type { AnalysisTranscript } from '../../analysis/types.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { isAppError } from '../../base/errors.ts';
import { joinTexts } from '../../base/text.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { JobContext, PipelineDeps, PipelineModel } from '../deps.ts';
import { recognizeAgain } from '../recognition/recognizer.ts';
import type { Recording } from '../source/recording.ts';

export type TranslateInput = {
  /** Null if no audio is on this machine. */
  readonly recording: Recording | null;
  /** The model of the transcript, called only if needed; null if it is no longer installed. */
  readonly model: () => Promise<PipelineModel | null>;
  /** The language spoken; null if nothing was said. */
  readonly language: string | null;
  readonly segments: readonly StoredSegment[];
};

export type Translated = {
  readonly translation?: AnalysisTranscript;
  readonly warnings: readonly StoredWarning[];
};

/** A "translation" that shares more than this part of its words with the text was not translated. */
const MAX_SHARED_WORDS = 0.7;

const notTranslated = (reason: string): Translated => ({
  warnings: [warningOf('no_english_summary', { reason })],
});

/** An English summary of another language, for lack of a language model that reads it. */
const needsTranslation = (
  options: AnalysisOptions,
  language: string | null,
  hasSummarizer: boolean,
): language is string =>
  options.summarization &&
  !options.translate &&
  !hasSummarizer &&
  options.summary_language === 'en' &&
  language !== null &&
  language !== 'en';

const wordsOf = (segments: readonly Pick<StoredSegment, 'text'>[]): string[] =>
  joinTexts(segments.map(({ text }) => text))
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of the translation's words that occur in the text. */
const sharedWords = (text: readonly string[], translation: readonly string[]): number => {
  const known = new Set(text);
  return translation.length === 0
    ? 0
    : translation.filter((word) => known.has(word)).length / translation.length;
};

/** Recognizes the recording with Whisper's translation; times are on the transcript's timeline. */
const recognizeInEnglish = async (
  deps: PipelineDeps,
  { signal, onProgress }: JobContext,
  { input, shift, range }: Recording,
  model: PipelineModel,
  language: string,
): Promise<StoredSegment[]> => {
  const translated: StoredSegment[] = [];
  const options = { model, language, range, signal, translate: true };
  onProgress({ stage: 'analyzing', percent: 95, etaSeconds: null, speed: null });
  const move = <T extends { start: number; end: number }>(timed: T): T => ({
    ...timed,
    start: timed.start + shift,
    end: timed.end + shift,
  });
  for await (const segments of recognizeAgain(deps, input, options)) {
    for (const segment of segments) {
      translated.push({ ...move(segment), words: segment.words.map(move), id: translated.length });
    }
  }
  return translated;
};

const translate = async (
  deps: PipelineDeps,
  context: JobContext,
  { recording, model: findModel, language, segments }: TranslateInput & { readonly language: string },
): Promise<Translated> => {
  if (recording === null) return notTranslated('the audio is not kept any more');
  const model = await findModel();
  if (model === null) return notTranslated('the model is not installed any more');
  if (!deps.models.canTranslate(model.id)) {
    return notTranslated(`the model ${model.id} was not trained to translate`);
  }
  const translated = await recognizeInEnglish(deps, context, recording, model, language);
  if (sharedWords(wordsOf(segments), wordsOf(translated)) > MAX_SHARED_WORDS) {
    return notTranslated(`the model ${model.id} wrote the same words again instead of translating them`);
  }
  return {
    translation: {
      language: 'en',
      text: joinTexts(translated.map(({ text }) => text)),
      segments: translated,
    },
    warnings: [warningOf('summary_of_translation')],
  };
};

/**
 * Translates the audio into English by recognizing it a second time with Whisper's own translation, if an English
 * summary needs it. The translation is never stored. A failure becomes a warning. Throws only `cancelled`.
 */
export const translateForSummary = async (
  deps: PipelineDeps,
  context: JobContext,
  input: TranslateInput,
  options: AnalysisOptions,
): Promise<Translated> => {
  const { language, segments } = input;
  if (segments.length === 0 || !needsTranslation(options, language, deps.hasSummarizer())) {
    return { warnings: [] };
  }
  try {
    return await translate(deps, context, { ...input, language });
  } catch (error) {
    throwIfAborted(context.signal);
    if (!isAppError(error)) throw error;
    deps.logger.warn({ transcript: context.transcript.id, code: error.code }, 'Translation failed');
    return notTranslated('the audio could not be recognized again');
  }
};
