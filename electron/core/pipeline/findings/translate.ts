import type { AnalysisOptions } from '../../../contract/transcript.ts';
import type { AnalysisTranscript } from '../../analysis/types.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { isAppError } from '../../base/errors.ts';
import { joinTexts } from '../../base/text.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { recognizeAgain } from '../recognition/recognizer.ts';
import type { RecognizedSegment } from '../recognition/words.ts';
import type { Recording } from '../redaction/audio.ts';
import type { JobContext } from '../types.ts';

/** What is to be said in English, too, for its summary. */
export type ToTranslate = {
  /** Null where no sound is on this machine. */
  readonly recording: Recording | null;
  /** The model that recognised it, asked for only when it is needed; null where it is not installed any more. */
  readonly model: () => Promise<PipelineModel | null>;
  /** The language spoken; null where nothing was said. */
  readonly language: string | null;
  readonly segments: readonly StoredSegment[];
};

export type Translated = {
  readonly translation?: AnalysisTranscript;
  readonly warnings: readonly string[];
};

/** A "translation" that shares so many of its words with the text is none. */
const SAME_TEXT = 0.7;

const noEnglish = (reason: string): Translated => ({
  warnings: [`No English summary was made: ${reason}.`],
});

/** Whether an English summary has to be made from a translation. */
const isNeeded = (
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

/** The share of the words of `made` that occur in `text`. */
const sharedWords = (text: readonly string[], made: readonly string[]): number => {
  const known = new Set(text);
  return made.length === 0 ? 0 : made.filter((word) => known.has(word)).length / made.length;
};

const recogniseInEnglish = async (
  deps: PipelineDeps,
  { signal, onProgress }: JobContext,
  { input, shift, range }: Recording,
  model: PipelineModel,
  language: string,
): Promise<RecognizedSegment[]> => {
  const made: RecognizedSegment[] = [];
  const how = { model, language, range, signal, translate: true };
  onProgress({ stage: 'analyzing', percent: 95, etaSeconds: null, speed: null });
  for await (const segments of recognizeAgain(deps, input, how)) {
    const moved = (time: { start: number; end: number }) => ({
      start: time.start + shift,
      end: time.end + shift,
    });
    made.push(
      ...segments.map((segment) => ({
        ...segment,
        ...moved(segment),
        words: segment.words.map((word) => ({ ...word, ...moved(word) })),
      })),
    );
  }
  return made;
};

const translate = async (
  deps: PipelineDeps,
  context: JobContext,
  { recording, model: modelOf, language, segments }: ToTranslate & { readonly language: string },
): Promise<Translated> => {
  if (recording === null) return noEnglish('the audio is not kept any more');
  const model = await modelOf();
  if (model === null) return noEnglish('the model is not installed any more');
  if (model.demonstration) return noEnglish('the demonstration model does not translate');
  if (!deps.models.canTranslate(model.id)) {
    return noEnglish(`the model ${model.id} was not trained to translate`);
  }
  const made = await recogniseInEnglish(deps, context, recording, model, language);
  if (sharedWords(wordsOf(segments), wordsOf(made)) > SAME_TEXT) {
    return noEnglish(`the model ${model.id} wrote the same words again instead of translating them`);
  }
  const numbered = made.map((segment, id) => ({ ...segment, id }));
  return {
    translation: {
      language: 'en',
      text: joinTexts(numbered.map(({ text }) => text)),
      segments: numbered,
    },
    warnings: [
      'The summary was made from a translation by the speech model, which makes mistakes of its own.',
    ],
  };
};

/**
 * What was said, in English by Whisper's own translation, where an English summary of another language is wanted: the
 * audio is recognised a second time. It is never stored. What goes wrong is a warning. Throws `cancelled` alone.
 */
export const translateForSummary = async (
  deps: PipelineDeps,
  context: JobContext,
  what: ToTranslate,
  options: AnalysisOptions,
): Promise<Translated> => {
  const { language, segments } = what;
  if (segments.length === 0 || !isNeeded(options, language, deps.hasSummarizer())) return { warnings: [] };
  try {
    return await translate(deps, context, { ...what, language });
  } catch (error) {
    throwIfAborted(context.signal);
    if (!isAppError(error)) throw error;
    deps.logger.warn({ transcript: context.transcript.id, code: error.code }, 'Translation failed');
    return noEnglish('the audio could not be recognised again');
  }
};
