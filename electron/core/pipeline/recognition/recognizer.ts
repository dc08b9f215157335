import type { WordTimes } from '../../../contract/recognition.ts';
import type { VocabularyEntry } from '../../../contract/vocabulary.ts';
import { termOf } from '../../../contract/vocabulary-text.ts';
import { toSamples } from '../../base/audio.ts';
import { AppError } from '../../base/errors.ts';
import { freeMemory } from '../../base/memory.ts';
import { roundMs } from '../../base/numbers.ts';
import type { AudioChunk, MediaInput, Span } from '../../engines/ffmpeg/types.ts';
import type { TranscribeRequest, WhisperEngine } from '../../engines/whisper/engine.ts';
import type {
  LanguageGuess,
  PreferredTerm,
  TranscribeParams,
  WhisperSegment,
} from '../../engines/whisper/types.ts';
import type { StoredWord } from '../../stores/segments.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { fitToSound } from './aligned-times.ts';
import { chunkingFor } from './chunking.ts';
import { halvesOf, hasDrifted } from './drift.ts';
import { collapseLoops, isEcho, isRepetitive } from './repetition.ts';
import { type SpeechRegion, speechRegions } from './speech-regions.ts';
import { trimSilence } from './trim-silence.ts';
import { keepWords, type RecognizedSegment, toSegment } from './words.ts';

export type RecognizeOptions = {
  readonly engine: Pick<WhisperEngine, 'transcribe'>;
  readonly model: Pick<PipelineModel, 'path' | 'capabilities'>;
  /** A language code, or `auto`. */
  readonly language: string;
  readonly beamSize: number;
  /** Write English, whatever language is spoken. */
  readonly translate: boolean;
  readonly prompt?: string | undefined;
  /** Terms to prefer while decoding. */
  readonly vocabulary?: readonly VocabularyEntry[] | undefined;
  /** Default: `fast`. */
  readonly wordTimes?: WordTimes | undefined;
  readonly signal: AbortSignal;
  /** Run while no other job does: the retry after a crash, so that only the chunk at fault can crash again. */
  readonly exclusive: boolean;
  /** The share of the chunk that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Called before all segments if `language` is `auto`. */
  readonly onLanguage?: (detected: DetectedLanguage) => void;
};

/** ISO 639-1, and its probability from 0 to 1. */
export type DetectedLanguage = { readonly language: string; readonly confidence: number };

/** The limits of openai/whisper's `transcribe` for a window that is silent rather than badly heard. */
const NO_SPEECH_THRESHOLD = 0.6;
const LOGPROB_THRESHOLD = -1;
/** A segment of which more than this share is silence was hallucinated. */
const MAX_SILENT_SHARE = 0.9;
const RETRY_TEMPERATURE = 0.4;
/** Tokens of a window's context for the prompt; earlier text gets the rest. */
const PROMPT_TOKENS = 96;
/** Seconds of audio in one of Whisper's windows. */
const WINDOW_SECONDS = 30;

/** Seconds of `span` that are silent. */
const silentSeconds = (span: Span, silences: readonly Span[]): number =>
  silences.reduce(
    (sum, silence) =>
      sum + Math.max(0, Math.min(span.end, silence.end) - Math.max(span.start, silence.start)),
    0,
  );

/** Whether ffmpeg detected nothing but silence, so that there is nothing to recognize. */
export const isSilent = (chunk: AudioChunk): boolean =>
  silentSeconds(chunk, chunk.silences) > chunk.end - chunk.start - 0.1;

/** The languages that a recording may be in; without `expected`, any. */
export type LanguageChoice = {
  readonly expected?: readonly string[] | undefined;
  /** For a recording in another language; default: the likeliest of `expected`. */
  readonly fallback?: string | undefined;
  /** How probable the language must be, 0 to 1; default: no matter. */
  readonly threshold?: number | undefined;
  /** For a language below `threshold`; default: `error`. */
  readonly onLowConfidence?: 'error' | 'fallback' | undefined;
};

/** Throws `language_uncertain` for a language that is less probable than it must be, unless another one takes its place. */
export const requireConfidence = (
  { language, confidence }: DetectedLanguage,
  { threshold = 0, onLowConfidence }: LanguageChoice,
): void => {
  if (confidence >= threshold || onLowConfidence === 'fallback') return;
  const percent = (share: number): string => `${Math.floor(share * 100)} %`;
  throw new AppError(
    'language_uncertain',
    `The language of this recording is “${language}” with a probability of ${percent(confidence)}, and the request asks for ${percent(threshold)}.`,
  );
};

/**
 * The language to recognize a recording in, and the probability that it is spoken. Throws `language_uncertain`; never for
 * the fallback, which the request names.
 */
export const chooseLanguage = (
  { language, probabilities }: LanguageGuess,
  choice: LanguageChoice = {},
): DetectedLanguage => {
  const { expected, fallback, threshold = 0 } = choice;
  const withConfidence = (code: string) => ({ language: code, confidence: probabilities[code] ?? 0 });
  const byProbability = expected?.map(withConfidence).toSorted((a, b) => b.confidence - a.confidence);
  const likeliest = byProbability?.[0] ?? withConfidence(language);
  const isExpected = expected === undefined || expected.includes(language);
  const detected = isExpected ? withConfidence(language) : likeliest;
  if (!isExpected && fallback !== undefined) return withConfidence(fallback);
  requireConfidence(detected, choice);
  if (detected.confidence >= threshold || fallback === undefined) return detected;
  return withConfidence(fallback);
};

/** With the weight 0 a term is left to the spelling. */
const preferredTerms = (vocabulary: readonly VocabularyEntry[]): PreferredTerm[] =>
  vocabulary
    .map(termOf)
    .map(({ term, weight = 1 }) => ({ term, weight }))
    .filter(({ weight }) => weight > 0);

/** A translation's words do not follow the sound. After a crash the engine does no more than it must. */
const canAlign = ({ wordTimes, model, translate, exclusive }: RecognizeOptions): boolean =>
  wordTimes === 'aligned' && model.capabilities.wordTimes === 'estimated' && !translate && !exclusive;

const requestFor = (
  { pcm }: SpeechRegion,
  options: RecognizeOptions,
  overrides: TranscribeParams = {},
): TranscribeRequest => ({
  modelPath: options.model.path,
  pcm,
  signal: options.signal,
  exclusive: options.exclusive,
  params: {
    language: options.language,
    beamSize: options.beamSize,
    bestOf: 5,
    temperature: 0,
    temperatureIncrement: 0.2,
    entropyThreshold: 2.4,
    logprobThreshold: LOGPROB_THRESHOLD,
    noSpeechThreshold: NO_SPEECH_THRESHOLD,
    // Repetition loops grow from text carried over between windows.
    maxContext: 0,
    suppressBlank: true,
    suppressNonSpeech: true,
    tokenTimes: true,
    alignWords: canAlign(options),
    translate: options.translate,
    ...(options.prompt === undefined || !options.model.capabilities.prompt
      ? {}
      : { initialPrompt: options.prompt, carryInitialPrompt: true, maxContext: PROMPT_TOKENS }),
    ...(options.vocabulary === undefined ? {} : { vocabulary: preferredTerms(options.vocabulary) }),
    ...overrides,
  },
  onProgress: (percent) => options.onProgress?.(percent / 100),
  onLanguage: (guess) => options.onLanguage?.(chooseLanguage(guess)),
});

/** A segment on its region's timeline, with what the engine said about it. */
type Candidate = {
  readonly segment: RecognizedSegment;
  readonly isNoSpeech: boolean;
  /** The bounds that the model wrote, if its words were aligned since: text from a silence is aligned to any sound near it. */
  readonly written: Span | undefined;
};

const isNoSpeech = ({ noSpeechProbability, averageLogprob }: WhisperSegment): boolean =>
  noSpeechProbability > NO_SPEECH_THRESHOLD && averageLogprob < LOGPROB_THRESHOLD;

const decodeRegion = async (
  region: SpeechRegion,
  options: RecognizeOptions,
  overrides?: TranscribeParams,
): Promise<{ candidates: Candidate[]; language: string }> => {
  const { segments, language } = await options.engine.transcribe(requestFor(region, options, overrides));
  const candidates = segments.flatMap((raw) => {
    const segment = toSegment(raw, language);
    return segment === undefined
      ? []
      : [{ segment, isNoSpeech: isNoSpeech(raw), written: raw.aligned ? raw : undefined }];
  });
  const isExact = options.model.capabilities.wordTimes === 'exact';
  return { candidates: isExact ? cutEchoes(candidates) : candidates, language };
};

const isStuck = (candidates: readonly Candidate[]): boolean =>
  isRepetitive(
    candidates.map(({ segment }) => segment.text).join(' '),
    candidates.flatMap(({ segment }) => segment.words.map(({ word }) => word)),
  );

const withWords = (candidates: readonly Candidate[], kept: ReadonlySet<StoredWord>): Candidate[] =>
  candidates.flatMap((candidate) => {
    const segment = keepWords(candidate.segment, (word) => kept.has(word));
    return segment === undefined ? [] : [{ ...candidate, segment }];
  });

/** Cuts every loop down to its first repetition, across segments. */
const cutLoops = (candidates: readonly Candidate[]): Candidate[] => {
  const words = candidates.flatMap(({ segment }) => segment.words);
  return withWords(candidates, new Set(collapseLoops(words, ({ word }) => word)));
};

/** Leaves out words that repeat the one before at once; only exact times can tell. */
const cutEchoes = (candidates: readonly Candidate[]): Candidate[] => {
  const words = candidates.flatMap(({ segment }) => segment.words);
  return withWords(candidates, new Set(words.filter((word, index) => !isEcho(word, words[index - 1]))));
};

/**
 * Decodes a region in which the decoder got stuck again, at a higher temperature; cuts the loops if that fails, or if the
 * model has no temperature.
 */
const retryStuck = async (
  region: SpeechRegion,
  stuck: Candidate[],
  options: RecognizeOptions,
): Promise<Candidate[]> => {
  if (!options.model.capabilities.temperature) return cutLoops(stuck);
  const { candidates } = await decodeRegion(region, options, {
    temperature: RETRY_TEMPERATURE,
    beamSize: 1,
  });
  return isStuck(candidates) ? cutLoops(stuck) : candidates;
};

const isHallucinated = ({ segment, isNoSpeech, written }: Candidate, region: SpeechRegion): boolean => {
  if (isNoSpeech) return true;
  const { start, end } = written ?? segment;
  const span = { start: region.start + start, end: region.start + end };
  const seconds = span.end - span.start;
  return seconds > 0 && silentSeconds(span, region.silences) / seconds > MAX_SILENT_SHARE;
};

/** Moves a segment from its region's timeline to the source's. */
const moveToSource = (segment: RecognizedSegment, region: SpeechRegion): RecognizedSegment => {
  const move = <T extends Span>(span: T): T => ({
    ...span,
    start: roundMs(Math.min(region.end, region.start + span.start)),
    end: roundMs(Math.min(region.end, region.start + span.end)),
  });
  return { ...move(segment), words: segment.words.map(move) };
};

const recognizeRegion = async (
  region: SpeechRegion,
  options: RecognizeOptions,
): Promise<RecognizedSegment[]> => {
  const { candidates, language } = await decodeRegion(region, options);
  const accepted = isStuck(candidates)
    ? await retryStuck(region, candidates, { ...options, language })
    : candidates;
  const segments = accepted
    .filter((candidate) => !isHallucinated(candidate, region))
    .map(({ segment, written }) =>
      (written === undefined ? trimSilence : fitToSound)(moveToSource(segment, region), region.silences),
    );
  const isDrifting =
    !options.model.capabilities.takesLanguage && (await hasDrifted(segments, options.language));
  return isDrifting ? retryDrifted(region, segments, options) : segments;
};

/** Recognizes a region's halves by themselves if the model wrote it in English; keeps that if the halves are no better. */
const retryDrifted = async (
  region: SpeechRegion,
  drifted: RecognizedSegment[],
  options: RecognizeOptions,
): Promise<RecognizedSegment[]> => {
  const segments: RecognizedSegment[] = [];
  for (const half of halvesOf(region) ?? []) segments.push(...(await recognizeRegion(half, options)));
  return segments.length === 0 || (await hasDrifted(segments, options.language)) ? drifted : segments;
};

/**
 * Recognizes one chunk, with guards against Whisper's known faults: leaves out long silences; decodes repetition loops
 * again without context at a higher temperature, else cuts them; discards text hallucinated in silence and tags such
 * as `[BLANK_AUDIO]`. Times are on the source's timeline. Throws `engine_crashed` if the engine crashed.
 */
export const recognizeChunk = async (
  chunk: AudioChunk,
  options: RecognizeOptions,
): Promise<RecognizedSegment[]> => {
  if (isSilent(chunk)) return [];
  const segments: RecognizedSegment[] = [];
  const regions = speechRegions(chunk);
  const total = regions.reduce((sum, { pcm }) => sum + pcm.length, 0);
  let done = 0;
  for (const region of regions) {
    const onProgress = (share: number) => options.onProgress?.((done + share * region.pcm.length) / total);
    segments.push(...(await recognizeRegion(region, { ...options, onProgress })));
    done += region.pcm.length;
  }
  return segments;
};

export type RecognizeAgainOptions = Pick<RecognizeOptions, 'language' | 'translate' | 'signal'> & {
  readonly model: RecognizeOptions['model'];
  /** The part of the file to recognize; seconds. */
  readonly range?: { readonly start: number; readonly end: number | null } | undefined;
};

/** Recognizes stored audio once more, yielding each chunk's segments; times are on the file's own timeline. */
export async function* recognizeAgain(
  { media, engine, settings }: Pick<PipelineDeps, 'media' | 'engine' | 'settings'>,
  input: MediaInput,
  { model, range, ...options }: RecognizeAgainOptions,
): AsyncGenerator<RecognizedSegment[]> {
  const { chunks } = media.decodeChunks(input, {
    ...range,
    chunking: chunkingFor(model),
    signal: options.signal,
  });
  for await (const chunk of chunks) {
    yield await recognizeChunk(chunk, {
      ...options,
      engine,
      model,
      beamSize: settings.beamSize(),
      exclusive: false,
    });
    freeMemory(chunk.pcm);
  }
}

/**
 * Whether recognizing a chunk also detects its language. With several regions the first may be only a word or two:
 * `detectLanguage` then looks at the first half minute instead.
 */
export const detectsLanguageItself = (chunk: AudioChunk): boolean => speechRegions(chunk).length === 1;

/** Detects the language spoken in a chunk, from the first 30 s after its leading silence. */
export const detectLanguage = async (
  chunk: AudioChunk,
  {
    engine,
    modelPath,
    choice,
    signal,
  }: {
    readonly engine: Pick<WhisperEngine, 'detectLanguage'>;
    readonly modelPath: string;
    readonly choice?: LanguageChoice | undefined;
    readonly signal: AbortSignal;
  },
): Promise<DetectedLanguage> => {
  const leading = chunk.silences.find((silence) => silence.start <= chunk.start + 0.1);
  const from = Math.max(0, toSamples((leading?.end ?? chunk.start) - chunk.start - 0.1));
  const pcm = chunk.pcm.subarray(from, from + toSamples(WINDOW_SECONDS));
  return chooseLanguage(await engine.detectLanguage({ modelPath, pcm, signal }), choice);
};
