import type { WordTimes } from '../../../contract/recognition.ts';
import { termOf, type VocabularyEntry } from '../../../contract/vocabulary.ts';
import { concatSamples, toSamples, toSeconds } from '../../base/audio.ts';
import { isAppError } from '../../base/errors.ts';
import { freeMemory } from '../../base/memory.ts';
import { roundMs } from '../../base/numbers.ts';
import type { AudioChunk, ChunkOptions, FindSpeech, MediaInput, Span } from '../../engines/ffmpeg/types.ts';
import type { TranscribeRequest, WhisperEngine } from '../../engines/whisper/engine.ts';
import type { PreferredTerm, WhisperResult, WhisperSegment } from '../../engines/whisper/types.ts';
import type { StoredWord } from '../../stores/segments.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { fitToSound } from './align-words.ts';
import type { RecognitionNote } from './notes.ts';
import { audible, joinSpans, overlap, speechSpans, without } from './speech-map.ts';
import {
  joinRegions,
  partsOf,
  type SpeechRegion,
  speechRegions,
  trimSilence,
  turnsOf,
} from './speech-regions.ts';
import {
  amongExpected,
  chooseLanguage,
  type DetectedLanguage,
  type HeardLanguage,
  halvesOf,
  hasDrifted,
  isSettled,
  type LanguageChoice,
  languagesOf,
  MIN_SPOKEN,
  type Neighbors,
  SURE,
} from './spoken-language.ts';
import {
  findLoops,
  isEcho,
  isRepetitive,
  keepWords,
  normalize,
  type RecognizedSegment,
  toSegment,
} from './words.ts';

/** Chunks that all of these models recognize well: the passes over a recording have to cut it alike to be compared. */
export const chunkingFor = (...models: readonly Pick<PipelineModel, 'capabilities'>[]): ChunkOptions => ({
  windowSeconds: Math.min(...models.map(({ capabilities }) => capabilities.maxChunkSeconds)),
});

export type RecognizeOptions = {
  readonly engine: Pick<WhisperEngine, 'transcribe' | 'detectLanguage'>;
  readonly model: Pick<PipelineModel, 'path' | 'capabilities'>;
  /** A language code, or `auto`: that which is spoken, in each part of the chunk. */
  readonly language: string;
  /** Whether to note where another language is spoken than `language`. */
  readonly checksLanguage?: boolean | undefined;
  /** The languages that `auto` chooses from; default: any. */
  readonly expected?: readonly string[] | undefined;
  /** The language of what was said before the chunk, which what is short or uncertain follows; null if nothing was. */
  readonly previous?: (() => Promise<string | null>) | undefined;
  readonly beamSize: number;
  /** Write English, whatever language is spoken. */
  readonly translate: boolean;
  readonly prompt?: string | undefined;
  /** Terms to prefer while decoding. */
  readonly vocabulary?: readonly VocabularyEntry[] | undefined;
  /** Default: `fast`. */
  readonly wordTimes?: WordTimes | undefined;
  readonly signal: AbortSignal;
  /**
   * How often the engine crashed in this chunk. After the first crash it runs while no other job does, so that only the chunk
   * at fault can crash again; after the second it aligns no words, for it does no more than it must.
   */
  readonly crashes: number;
  /**
   * Decode once and quickly, without a second look at what is stuck, lost, or in another language: for audio that is heard
   * again soon.
   */
  readonly isDraft?: boolean | undefined;
  /** The share of the chunk that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
};

/** The limits of openai/whisper's `transcribe` for a window that is silent rather than badly recognized. */
const NO_SPEECH_THRESHOLD = 0.6;
const LOGPROB_THRESHOLD = -1;
/** A segment of which no more than this share is speech was invented. */
const MIN_SPOKEN_SHARE = 0.1;
/** No one speaks faster; words a second. */
const MAX_SPEED = 6;
/** Words this far from each other leave nothing out between them; seconds. */
const REACH = 0.3;
/** Speech without words that is worth another look; seconds. */
const MIN_LOST = 0.8;
/** No word is said longer than this, in seconds, and this for each of its letters; a digit is a word of several. */
const MAX_WORD = 0.4;
const MAX_LETTER = 0.1;
const LETTERS_OF_DIGIT = 6;
/** What is read by itself to end a loop has at least this much speech: a single word is hard to recognize. Seconds. */
const MIN_UTTERANCE = 2;
/** Tokens of a window's context for the prompt; earlier text gets the rest. */
const PROMPT_TOKENS = 96;
/** Seconds of audio in one of Whisper's windows. */
const WINDOW_SECONDS = 30;

/** The detector shares its process with the recognition, which may be what crashed. */
const MAX_CRASHES = 3;

/** How likely each 512 samples are speech, by Silero VAD; `modelPath` is its file. Retries after a crash of the engine. */
export const speechDetector =
  (engine: Pick<WhisperEngine, 'speechProbabilities'>, modelPath: string, signal: AbortSignal) =>
  async (pcm: Float32Array): Promise<Float32Array> => {
    for (let crashes = 1; ; crashes++) {
      try {
        return await engine.speechProbabilities({ modelPath, pcm: audible(pcm), signal });
      } catch (error) {
        const isCrash = isAppError(error) && error.code === 'engine_crashed';
        if (!isCrash || crashes >= MAX_CRASHES) throw error;
      }
    }
  };

/** Finds the speech in audio. */
export const speechFinder = (...detector: Parameters<typeof speechDetector>): FindSpeech => {
  const detect = speechDetector(...detector);
  return async (pcm) => speechSpans(await detect(pcm), toSeconds(pcm.length));
};

/** Whether there is nothing to recognize. */
export const isSilent = ({ speech }: Pick<AudioChunk, 'speech'>): boolean => speech.length === 0;

/** With the weight 0 a term is left to the spelling. */
const preferredTerms = (vocabulary: readonly VocabularyEntry[]): PreferredTerm[] =>
  vocabulary
    .map(termOf)
    .map(({ term, weight = 1 }) => ({ term, weight }))
    .filter(({ weight }) => weight > 0);

/** A translation's words do not follow the sound. */
const canAlign = ({ wordTimes, model, translate, crashes }: RecognizeOptions): boolean =>
  wordTimes === 'aligned' && model.capabilities.wordTimes === 'estimated' && !translate && crashes < 2;

/** Positions of the encoder in a second of audio, and those that a draft gets beside its audio: with fewer, models lose sentences. */
const POSITIONS_PER_SECOND = 50;
const DRAFT_PADDING_SECONDS = 3;

const draftContext = (samples: number): number =>
  Math.ceil(Math.min(WINDOW_SECONDS, toSeconds(samples) + DRAFT_PADDING_SECONDS) * POSITIONS_PER_SECOND);

const requestFor = (
  { pcm, start: from, speech }: SpeechRegion,
  options: RecognizeOptions,
): TranscribeRequest => ({
  modelPath: options.model.path,
  pcm,
  signal: options.signal,
  exclusive: options.crashes > 0,
  params: {
    language: options.language,
    beamSize: options.beamSize,
    bestOf: 5,
    temperature: 0,
    temperatureIncrement: options.isDraft ? 0 : 0.2,
    ...(options.isDraft ? { audioContext: draftContext(pcm.length) } : {}),
    entropyThreshold: 2.4,
    logprobThreshold: LOGPROB_THRESHOLD,
    noSpeechThreshold: NO_SPEECH_THRESHOLD,
    // Repetition loops grow from text carried over between windows.
    maxContext: 0,
    suppressBlank: true,
    suppressNonSpeech: true,
    tokenTimes: true,
    alignWords: canAlign(options),
    speech: speech.map(({ start, end }) => ({ start: Math.max(0, start - from), end: end - from })),
    translate: options.translate,
    ...(options.prompt === undefined || !options.model.capabilities.prompt
      ? {}
      : { initialPrompt: options.prompt, carryInitialPrompt: true, maxContext: PROMPT_TOKENS }),
    ...(options.vocabulary === undefined ? {} : { vocabulary: preferredTerms(options.vocabulary) }),
  },
  onProgress: (percent) => options.onProgress?.(percent / 100),
});

/** What the engine recognized in a region. */
type Reading = {
  /** On the source's timeline. */
  readonly segments: readonly RecognizedSegment[];
  readonly notes: readonly RecognitionNote[];
  /** That of its end. */
  readonly language: string;
  /** The first language that was detected, if one was. */
  readonly detected?: DetectedLanguage | undefined;
};

const isNoSpeech = ({ noSpeechProbability, averageLogprob }: WhisperSegment): boolean =>
  noSpeechProbability > NO_SPEECH_THRESHOLD && averageLogprob < LOGPROB_THRESHOLD;

/** Whether a segment was written where no one speaks: by the bounds that the model wrote, for words are aligned to any sound. */
const isInvented = (segment: WhisperSegment, region: SpeechRegion): boolean => {
  const span = {
    start: region.start + segment.start,
    end: Math.min(region.end, region.start + segment.end),
  };
  const spoken = region.speech.reduce((sum, each) => sum + overlap(each, span), 0);
  return isNoSpeech(segment) || spoken < MIN_SPOKEN_SHARE * (span.end - span.start);
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

const secondsOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { start, end }) => sum + end - start, 0);

const wordsOf = (segments: readonly RecognizedSegment[]): StoredWord[] =>
  segments.flatMap(({ words }) => words);

const withWords = (
  segments: readonly RecognizedSegment[],
  kept: ReadonlySet<StoredWord>,
): RecognizedSegment[] => segments.flatMap((segment) => keepWords(segment, (word) => kept.has(word)) ?? []);

/** Leaves out words that repeat the one before at once; only exact times can tell. */
const cutEchoes = (segments: readonly RecognizedSegment[]): RecognizedSegment[] => {
  const words = wordsOf(segments);
  return withWords(segments, new Set(words.filter((word, index) => !isEcho(word, words[index - 1]))));
};

const readingOf = (result: WhisperResult, region: SpeechRegion, options: RecognizeOptions): Reading => {
  const pauses = without(region, region.speech);
  const { takesLanguage, wordTimes } = options.model.capabilities;
  // A translation is in English, whatever language is spoken.
  const language = takesLanguage && !options.translate ? { language: result.language } : {};
  const segments = result.segments.flatMap((raw) => {
    const segment = isInvented(raw, region) ? undefined : toSegment(raw, result.language);
    if (segment === undefined) return [];
    const placed = moveToSource({ ...segment, ...language }, region);
    return [(raw.aligned ? fitToSound : trimSilence)(placed, pauses)];
  });
  const isExact = wordTimes === 'exact';
  return { segments: isExact ? cutEchoes(segments) : segments, notes: [], language: result.language };
};

const decodeRegion = async (region: SpeechRegion, options: RecognizeOptions): Promise<Reading> =>
  readingOf(await options.engine.transcribe(requestFor(region, options)), region, options);

/** Seconds of a region's speech between the beginning of one word and the end of another. */
const spokenSeconds = (region: SpeechRegion, first: StoredWord, last: StoredWord): number =>
  region.speech.reduce((sum, span) => sum + overlap(span, { start: first.start, end: last.end }), 0);

/**
 * Cuts loops of the decoder down to their first repetition. What somebody repeats has its own place in the sound; a loop has
 * more words than can be said there.
 */
const cutLoops = (reading: Reading, region: SpeechRegion): Reading => {
  const words = wordsOf(reading.segments);
  const kept = new Set(words);
  const notes = findLoops(words.map(({ word }) => word)).flatMap(({ start, period, count }) => {
    const [first, last] = [words[start], words[start + period * count - 1]];
    if (first === undefined || last === undefined) return [];
    if (period * count <= MAX_SPEED * spokenSeconds(region, first, last)) return [];
    for (const word of words.slice(start + period, start + period * count)) kept.delete(word);
    return [{ kind: 'repeated', start: first.start, end: last.end } as const];
  });
  if (notes.length === 0) return reading;
  return { ...reading, segments: withWords(reading.segments, kept), notes: [...reading.notes, ...notes] };
};

const joinReadings = (readings: readonly Reading[], language: string): Reading => ({
  segments: readings.flatMap(({ segments }) => segments),
  notes: readings.flatMap(({ notes }) => notes),
  language,
});

const isStuck = ({ segments }: Reading): boolean =>
  isRepetitive(
    segments.map(({ text }) => text).join(' '),
    wordsOf(segments).map(({ word }) => word),
  );

/**
 * Recognizes each utterance of a region by itself if the decoder repeats itself: it leaves its loop there, and writes what
 * was really said several times as often as it was.
 */
const rereadStuck = async (
  stuck: Reading,
  region: SpeechRegion,
  options: RecognizeOptions,
): Promise<Reading> => {
  const parts = partsOf(region, MIN_UTTERANCE);
  if (parts.length < 2) return cutLoops(stuck, region);
  const readings: Reading[] = [];
  for (const part of parts) readings.push(cutLoops(await decodeRegion(part, options), part));
  return joinReadings(readings, stuck.language);
};

/** How far a word reaches, though an aligned one may last until the next: over what the decoder left out between them. */
const reachOf = ({ word, start, end }: StoredWord): Span => {
  const letters = word.replaceAll(/\d/g, 'x'.repeat(LETTERS_OF_DIGIT)).length;
  return { start, end: Math.min(end, start + MAX_WORD + MAX_LETTER * letters) };
};

/** The part in whose speech, or nearest to it, a word begins. */
const partOf = (word: StoredWord, parts: readonly SpeechRegion[]): SpeechRegion | undefined => {
  const reach = reachOf(word);
  const middle = (reach.start + reach.end) / 2;
  const distance = ({ speech }: SpeechRegion): number =>
    Math.max(0, (speech[0]?.start ?? 0) - middle, middle - (speech.at(-1)?.end ?? 0));
  return parts.toSorted((a, b) => distance(a) - distance(b))[0];
};

/** The utterances of a region with speech that has no words, and those beside them of which a word's place is uncertain. */
const incompleteParts = (words: readonly StoredWord[], parts: readonly SpeechRegion[]): SpeechRegion[] => {
  const heard = words
    .map(reachOf)
    .map(({ start, end }) => ({ start: start - REACH, end: end + REACH }))
    .toSorted((a, b) => a.start - b.start);
  const isLost = ({ speech }: SpeechRegion): boolean =>
    joinSpans(
      speech.flatMap((span) => without(span, heard)),
      REACH,
    ).some(({ start, end }) => end - start >= MIN_LOST);
  const lost = new Set(parts.filter(isLost));
  const uncertain = words.filter(
    (word) => word.end > reachOf(word).end && [...lost].some((part) => overlap(part, word) > 0),
  );
  return parts.filter((part) => lost.has(part) || uncertain.some((word) => overlap(part, word) > REACH));
};

/**
 * Recognizes utterances without words by themselves: the decoder skips the rest of its window after some sentences. If that
 * finds none either, a note says so.
 */
const rereadLost = async (
  reading: Reading,
  region: SpeechRegion,
  options: RecognizeOptions,
): Promise<Reading> => {
  const again: Reading[] = [];
  const replaced = new Set<StoredWord>();
  const words = wordsOf(reading.segments);
  const parts = partsOf(region, MIN_LOST);
  const incomplete = new Set(incompleteParts(words, parts));
  for (const [index, part] of parts.entries()) {
    if (!incomplete.has(part)) continue;
    const before = words.filter((word) => partOf(word, parts) === part);
    // The same audio once more would give the same.
    const found = parts.length === 1 ? reading : cutLoops(await decodeRegion(part, options), part);
    const texts = new Set(wordsOf(found.segments).map(({ word }) => normalize(word)));
    if (wordsOf(found.segments).length > before.length) {
      again.push(found);
      for (const word of before) replaced.add(word);
      // What was not said here after all may be the beginning of the next utterance.
      const next = parts[index + 1];
      if (next !== undefined && before.some(({ word }) => !texts.has(normalize(word)))) incomplete.add(next);
    } else if (before.length === 0) {
      const [start, end] = [part.speech[0]?.start ?? part.start, part.speech.at(-1)?.end ?? part.end];
      again.push({ ...reading, segments: [], notes: [{ kind: 'unrecognized', start, end }] });
    }
  }
  if (again.length === 0) return reading;
  const kept = withWords(reading.segments, new Set(words.filter((word) => !replaced.has(word))));
  const { segments, ...rest } = joinReadings([{ ...reading, segments: kept }, ...again], reading.language);
  return { ...rest, segments: segments.toSorted((a, b) => a.start - b.start) };
};

/** Repairs what the decoder made of a region. */
const completed = async (
  first: Reading,
  region: SpeechRegion,
  options: RecognizeOptions,
): Promise<Reading> => {
  if (options.isDraft) return isStuck(first) ? cutLoops(first, region) : first;
  const settled = { ...options, language: first.language };
  const steady = isStuck(first) ? await rereadStuck(first, region, settled) : first;
  const reading = await rereadLost(steady, region, settled);
  const isDrifting =
    !options.model.capabilities.takesLanguage && (await hasDrifted(reading.segments, options.language));
  return isDrifting ? rereadDrifted(reading, region, options) : reading;
};

const readIn = async (
  language: string,
  region: SpeechRegion,
  options: RecognizeOptions,
): Promise<Reading> => {
  const own = { ...options, language };
  return completed(await decodeRegion(region, own), region, own);
};

/** Recognizes a region in which the language is in doubt: each utterance in that which is spoken there. */
const readByLanguage = async (
  first: WhisperResult,
  region: SpeechRegion,
  neighbors: Neighbors,
  options: RecognizeOptions,
): Promise<Reading> => {
  const { engine, model, signal, expected } = options;
  const parts = options.isDraft ? [region] : turnsOf(region);
  const heard: HeardLanguage[] = [];
  for (const { pcm, speech } of parts) {
    // The only utterance is the region, which has been recognized.
    const known = parts.length === 1 ? first.languageProbabilities : null;
    const probabilities =
      known ?? (await engine.detectLanguage({ modelPath: model.path, pcm, signal })).probabilities;
    heard.push({ seconds: secondsOf(speech), probabilities: amongExpected(probabilities, expected) });
  }
  const languages = languagesOf(heard, neighbors);
  const [language = first.language] = languages;
  const detected = { language, confidence: heard[0]?.probabilities[language] ?? 0 };
  if (languages.every((each) => each === first.language)) {
    return { ...(await completed(readingOf(first, region, options), region, options)), detected };
  }
  const readings: Reading[] = [];
  for (const [from, each] of languages.entries()) {
    if (from > 0 && languages[from - 1] === each) continue;
    const to = languages.findIndex((other, index) => index > from && other !== each);
    const own = joinRegions(region, parts.slice(from, to < 0 ? undefined : to));
    readings.push(await readIn(each, own, options));
  }
  return { ...joinReadings(readings, languages.at(-1) ?? language), detected };
};

/**
 * Recognizes a region in the language that was asked for. In another than is spoken the model translates, which reads well:
 * a note says so. To find that out costs nothing if the two are one.
 */
const readAsAsked = async (
  language: string,
  region: SpeechRegion,
  options: RecognizeOptions,
): Promise<Reading> => {
  const { detectsLanguage, onlyLanguage } = options.model.capabilities;
  const isChecked = options.checksLanguage && detectsLanguage && onlyLanguage === null && !options.translate;
  if (!isChecked || secondsOf(region.speech) < MIN_UTTERANCE) return readIn(language, region, options);
  const first = await options.engine.transcribe(requestFor(region, { ...options, language: 'auto' }));
  if (first.language === language) return completed(readingOf(first, region, options), region, options);
  const reading = await readIn(language, region, options);
  const probability = first.languageProbabilities?.[first.language] ?? 0;
  if (probability < SURE) return reading;
  const { start, end } = region;
  return {
    ...reading,
    notes: [...reading.notes, { kind: 'language', start, end, language: first.language }],
  };
};

const recognizeRegion = async (
  region: SpeechRegion,
  options: RecognizeOptions,
  neighbors: () => Promise<Neighbors>,
): Promise<Reading> => {
  const { language, expected, model } = options;
  if (language !== 'auto') return readAsAsked(language, region, options);
  if (!model.capabilities.detectsLanguage) return readIn(language, region, options);
  const first = await options.engine.transcribe(requestFor(region, options));
  if (first.languageProbabilities === null)
    return completed(readingOf(first, region, options), region, options);
  const probabilities = amongExpected(first.languageProbabilities, expected);
  const heard = { seconds: secondsOf(region.speech), probabilities };
  const before = heard.seconds < MIN_SPOKEN ? (await neighbors()).previous : null;
  if (!isSettled(first.language, heard, before)) {
    return readByLanguage(first, region, await neighbors(), options);
  }
  const detected = { language: first.language, confidence: probabilities[first.language] ?? 0 };
  return { ...(await completed(readingOf(first, region, options), region, options)), detected };
};

/** Recognizes a region's halves by themselves if the model wrote it in English; keeps that if the halves are no better. */
const rereadDrifted = async (
  drifted: Reading,
  region: SpeechRegion,
  options: RecognizeOptions,
): Promise<Reading> => {
  const readings: Reading[] = [];
  for (const half of halvesOf(region) ?? []) readings.push(await readIn(options.language, half, options));
  const again = joinReadings(readings, drifted.language);
  return again.segments.length === 0 || (await hasDrifted(again.segments, options.language))
    ? drifted
    : again;
};

/** The language of the regions of a chunk together, up to a window: what the first of them follows if it is uncertain. */
const commonLanguage = async (
  regions: readonly SpeechRegion[],
  { engine, model, expected, signal }: RecognizeOptions,
): Promise<string | null> => {
  if (regions.length < 2) return null;
  const pcm = concatSamples(regions.map((region) => region.pcm)).subarray(0, toSamples(WINDOW_SECONDS));
  const guess = await engine.detectLanguage({ modelPath: model.path, pcm, signal });
  return chooseLanguage(guess, { expected }).language;
};

/** What was recognized in a chunk; times on the source's timeline. */
export type RecognizedChunk = Reading;

/**
 * Recognizes the speech of one chunk, with guards against Whisper's known faults: it gets no long pauses; utterances are read
 * by themselves if it repeats itself, and speech that it left out; what it writes where no one speaks is discarded.
 * Throws `engine_crashed` if the engine crashed.
 */
export const recognizeChunk = async (
  chunk: SpeechRegion,
  options: RecognizeOptions,
): Promise<RecognizedChunk> => {
  const readings: Reading[] = [];
  const regions = speechRegions(chunk);
  const total = regions.reduce((sum, { pcm }) => sum + pcm.length, 0);
  let done = 0;
  for (const region of regions) {
    const onProgress = (share: number) => options.onProgress?.((done + share * region.pcm.length) / total);
    const before = readings.at(-1)?.language;
    const neighbors = async (): Promise<Neighbors> => {
      const previous = before ?? (await options.previous?.()) ?? null;
      if (previous !== null) return { previous };
      const common = await commonLanguage(regions, options);
      return { previous: common, next: common };
    };
    readings.push(await recognizeRegion(region, { ...options, onProgress }, neighbors));
    done += region.pcm.length;
  }
  const detected = readings.find((reading) => reading.detected !== undefined)?.detected;
  return { ...joinReadings(readings, readings.at(-1)?.language ?? options.language), detected };
};

export type RecognizeAgainOptions = Pick<RecognizeOptions, 'language' | 'translate' | 'signal'> & {
  readonly model: RecognizeOptions['model'];
  /** The part of the file to recognize; seconds. */
  readonly range?: { readonly start: number; readonly end: number | null } | undefined;
};

/** Recognizes stored audio once more, yielding each chunk's segments; times are on the file's own timeline. */
export async function* recognizeAgain(
  {
    media,
    engine,
    settings,
    speechModel,
  }: Pick<PipelineDeps, 'media' | 'engine' | 'settings' | 'speechModel'>,
  input: MediaInput,
  { model, range, ...options }: RecognizeAgainOptions,
): AsyncGenerator<readonly RecognizedSegment[]> {
  const { chunks } = media.decodeChunks(input, {
    ...range,
    chunking: { ...chunkingFor(model), findSpeech: speechFinder(engine, speechModel, options.signal) },
    signal: options.signal,
  });
  for await (const chunk of chunks) {
    const { segments } = await recognizeChunk(chunk, {
      ...options,
      engine,
      model,
      beamSize: settings.beamSize(),
      crashes: 0,
    });
    yield segments;
    freeMemory(chunk.pcm);
  }
}

/** Detects the language spoken in a chunk, from its first speech on, at most 30 s. */
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
  const [first] = chunk.speech;
  const from = toSamples((first?.start ?? chunk.start) - chunk.start);
  const pcm = chunk.pcm.subarray(from, from + toSamples(WINDOW_SECONDS));
  return chooseLanguage(await engine.detectLanguage({ modelPath, pcm, signal }), choice);
};
