import { toSamples } from '../../base/audio.ts';
import { roundMs } from '../../base/numbers.ts';
import type { AudioChunk, MediaInput, Span } from '../../engines/ffmpeg/types.ts';
import { audioContextFor } from '../../engines/whisper/audio-context.ts';
import type { TranscribeRequest, WhisperEngine } from '../../engines/whisper/engine.ts';
import { collapseLoops, isRepetitive } from '../../engines/whisper/repetition.ts';
import type { LanguageGuess, WhisperResult } from '../../engines/whisper/types.ts';
import { type CleanSegment, cleanSegment, joinWords } from '../../engines/whisper/words.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { islandsOf } from './speech-regions.ts';
import { trimSilence } from './trim-silence.ts';

export type RecogniseOptions = {
  readonly engine: WhisperEngine;
  readonly modelPath: string;
  /** A language code, or `auto`. */
  readonly language: string;
  readonly beamSize: number;
  /** Encode no more of Whisper's window than there is sound. */
  readonly fitWindow: boolean;
  /** Write English, whatever is spoken. */
  readonly translate: boolean;
  readonly prompt?: string | undefined;
  readonly signal: AbortSignal;
  /** Run while nothing else does: after a crash, so that only the guilty chunk can crash again. */
  readonly alone: boolean;
  readonly onProgress?: (fraction: number) => void;
  /** Told the language as soon as it is known, where it was to be found. */
  readonly onLanguage?: (guess: LanguageFound) => void;
};

/** ISO 639-1, and how likely it is, 0 to 1. */
export type LanguageFound = { readonly language: string; readonly confidence: number };

/** Without ids: those follow from the order in which chunks are saved. */
export type RecognisedSegment = Omit<StoredSegment, 'id'>;

/** Whisper's own limits (openai/whisper, `transcribe`): what looks like silence and is badly guessed is none. */
const NO_SPEECH = 0.6;
const LOW_LOGPROB = -1;
/** A segment that lies in known silence to this share was invented. */
const MOSTLY_SILENT = 0.9;
const WARMER = 0.4;

/** Seconds of `span` that the silences cover. */
const silentSeconds = (span: Span, silences: readonly Span[]): number =>
  silences.reduce(
    (sum, s) => sum + Math.max(0, Math.min(span.end, s.end) - Math.max(span.start, s.start)),
    0,
  );

/** Whether ffmpeg heard nothing in the chunk at all: then there is nothing to recognise. */
export const isSilent = (chunk: AudioChunk): boolean =>
  silentSeconds(chunk, chunk.silences) > chunk.end - chunk.start - 0.1;

/** Tokens of a prompt that a window is given; room for earlier text is what is left of it. */
const PROMPT_TOKENS = 96;

const promptParams = (prompt: string | undefined) =>
  prompt === undefined ? {} : { initialPrompt: prompt, carryInitialPrompt: true, maxContext: PROMPT_TOKENS };

const found = ({ language, probabilities }: LanguageGuess): LanguageFound => ({
  language,
  confidence: probabilities[language] ?? 0,
});

const request = (chunk: AudioChunk, options: RecogniseOptions): TranscribeRequest => ({
  modelPath: options.modelPath,
  pcm: chunk.pcm,
  signal: options.signal,
  exclusive: options.alone,
  params: {
    language: options.language,
    beamSize: options.beamSize,
    ...(options.fitWindow ? { audioContext: audioContextFor(chunk.pcm.length) } : {}),
    bestOf: 5,
    temperature: 0,
    temperatureIncrement: 0.2,
    entropyThreshold: 2.4,
    logprobThreshold: LOW_LOGPROB,
    noSpeechThreshold: NO_SPEECH,
    // Text fed forward between windows is what repetition loops grow from.
    maxContext: 0,
    suppressBlank: true,
    suppressNonSpeech: true,
    tokenTimes: true,
    translate: options.translate,
    ...promptParams(options.prompt),
  },
  onProgress: (percent) => options.onProgress?.(percent / 100),
  onLanguage: (guess) => options.onLanguage?.(found(guess)),
});

const cleanSegments = (result: WhisperResult): CleanSegment[] =>
  result.segments.flatMap((segment) => cleanSegment(segment, result.language) ?? []);

const textOf = (segments: readonly CleanSegment[]): string => segments.map(({ text }) => text).join(' ');

const isStuck = (segments: readonly CleanSegment[]): boolean =>
  isRepetitive(
    textOf(segments),
    segments.flatMap(({ words }) => words.map(({ word }) => word)),
  );

/** What is left of a loop that would not go away: its first time. */
const cutLoops = (segments: readonly CleanSegment[]): CleanSegment[] => {
  const tagged = segments.flatMap((segment, index) => segment.words.map((word) => ({ word, index })));
  const kept = new Set(collapseLoops(tagged, ({ word }) => word.word).map(({ word }) => word));
  return segments.flatMap((segment) => {
    const words = segment.words.filter((word) => kept.has(word));
    if (words.length === segment.words.length) return [segment];
    const last = words.at(-1);
    return last === undefined ? [] : [{ ...segment, words, text: joinWords(words), end: last.end }];
  });
};

/** Decodes a chunk that got stuck again, warmer; what still repeats itself is cut. */
const unstick = async (
  chunk: AudioChunk,
  first: CleanSegment[],
  options: RecogniseOptions,
): Promise<CleanSegment[]> => {
  const asked = request(chunk, options);
  const again = await options.engine.transcribe({
    ...asked,
    params: { ...asked.params, temperature: WARMER, beamSize: 1 },
  });
  const second = cleanSegments(again);
  return isStuck(second) ? cutLoops(first) : second;
};

const isInvented = (segment: CleanSegment, start: number, silences: readonly Span[]): boolean => {
  if (segment.noSpeechProbability > NO_SPEECH && segment.averageLogprob < LOW_LOGPROB) return true;
  const span = { start: start + segment.start, end: start + segment.end };
  return span.end > span.start && silentSeconds(span, silences) / (span.end - span.start) > MOSTLY_SILENT;
};

/** Moves a segment from the chunk's timeline to the source's. */
const place = (segment: CleanSegment, chunk: AudioChunk): RecognisedSegment => {
  const at = (seconds: number) => roundMs(Math.min(chunk.end, chunk.start + seconds));
  return {
    text: segment.text,
    start: at(segment.start),
    end: at(segment.end),
    speaker_id: null,
    words: segment.words.map((word) => ({
      word: word.word,
      start: at(word.start),
      end: at(word.end),
      confidence: word.confidence,
      speaker_id: null,
    })),
  };
};

const recognisePart = async (part: AudioChunk, options: RecogniseOptions): Promise<RecognisedSegment[]> => {
  const result = await options.engine.transcribe(request(part, options));
  const first = cleanSegments(result);
  const segments = isStuck(first)
    ? await unstick(part, first, { ...options, language: result.language })
    : first;
  return segments
    .filter((segment) => !isInvented(segment, part.start, part.silences))
    .map((segment) => trimSilence(place(segment, part), part.silences));
};

/**
 * Recognises one chunk of audio, guarding against Whisper's known faults: long silences are left out; loops are
 * decoded again without context and warmer, else cut; text invented in silence and marks such as
 * `[BLANK_AUDIO]` are removed. Throws `engine_crashed` when the engine went down over this chunk.
 */
export const recognise = async (
  chunk: AudioChunk,
  options: RecogniseOptions,
): Promise<RecognisedSegment[]> => {
  const segments: RecognisedSegment[] = [];
  const parts = islandsOf(chunk);
  const all = parts.reduce((sum, { pcm }) => sum + pcm.length, 0);
  let done = 0;
  for (const part of parts) {
    const onProgress = (share: number) => options.onProgress?.((done + share * part.pcm.length) / all);
    segments.push(...(await recognisePart(part, { ...options, onProgress })));
    done += part.pcm.length;
  }
  return segments;
};

export type AgainOptions = Pick<RecogniseOptions, 'language' | 'translate' | 'signal'> & {
  readonly model: Pick<PipelineModel, 'path'>;
  /** What of the file is heard; seconds. */
  readonly range?: { readonly start: number; readonly end: number | null } | undefined;
};

/** Recognises kept sound once more, chunk by chunk; times are on the file's own timeline. */
export async function* recogniseAgain(
  { media, engine, settings }: Pick<PipelineDeps, 'media' | 'engine' | 'settings'>,
  input: MediaInput,
  { model, range, ...options }: AgainOptions,
): AsyncGenerator<RecognisedSegment[]> {
  const { chunks } = media.decodeChunks(input, { ...range, signal: options.signal });
  for await (const chunk of chunks) {
    if (isSilent(chunk)) yield [];
    else {
      const how = {
        engine,
        modelPath: model.path,
        beamSize: settings.beamSize(),
        fitWindow: settings.fitWindow(),
        alone: false,
      };
      yield await recognise(chunk, { ...options, ...how });
    }
  }
}

/**
 * Whether the whole chunk is heard at once, so that its language is found on the way. Where long silences part
 * it, the first part may be a word or two: then the language is asked for before, of the first half minute.
 */
export const isHeardAtOnce = (chunk: AudioChunk): boolean => islandsOf(chunk).length === 1;

/** The language spoken in a chunk, by its first half minute that is not silent. */
export const detectLanguage = async (
  chunk: AudioChunk,
  { engine, modelPath, signal }: Pick<RecogniseOptions, 'engine' | 'modelPath' | 'signal'>,
): Promise<LanguageFound> => {
  const lead = chunk.silences.find((silence) => silence.start <= chunk.start + 0.1);
  const from = Math.max(0, toSamples((lead?.end ?? chunk.start) - chunk.start - 0.1));
  const pcm = chunk.pcm.slice(from, from + toSamples(30));
  return found(await engine.detectLanguage({ modelPath, pcm, signal }));
};
