import { join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.ts';
import { freeMemory } from '../../base/memory.ts';
import { clamp } from '../../base/numbers.ts';
import type { ChunkOptions, Decode, DecodeSummary } from '../../engines/ffmpeg/types.ts';
import type { WhisperEngine } from '../../engines/whisper/engine.ts';
import type { RecognitionCheckpoint, StreamCheckpoint } from '../../stores/codecs.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { insertSegments, type StoredSegment } from '../../stores/segments.ts';
import { crashesFrom, withStream } from '../checkpoint.ts';
import type { JobContext, PipelineDeps, PipelineModel } from '../deps.ts';
import type { RangeAudio } from '../source/recording.ts';
import type { Source } from '../source/resolve.ts';
import { type RecognizedStream, readInTurn, type StreamChunk, summaryOf } from './audio-streams.ts';
import { applySpelling, applyVocabulary } from './custom-spelling.ts';
import { PEAKS_FILE, writePeaks } from './peaks.ts';
import { type AudioRange, RecognitionProgress } from './progress.ts';
import {
  detectLanguage,
  isSilent,
  type RecognizedChunk,
  type RecognizeOptions,
  recognizeChunk,
  speechFinder,
} from './recognizer.ts';
import { inChannel, levelsFile, writeLevels } from './settle-channels.ts';
import type { DetectedLanguage, LanguageChoice } from './spoken-language.ts';

/**
 * Engine crashes during one chunk, counted over restarts of the app, after which the job fails. For crashes of the app
 * see `MAX_APP_CRASHES_PER_JOB` in jobs/runner.ts.
 */
export const MAX_ENGINE_CRASHES_PER_CHUNK = 3;

/** A wrong setting of the language shows in the first chunks. */
const CHECKED_CHUNKS = 4;
/** More would not be read. */
const MAX_NOTES = 200;

export type RecognizeAudioOptions = {
  readonly deps: Pick<PipelineDeps, 'db' | 'clock' | 'logger' | 'settings' | 'speechModel'> & {
    readonly media: Pick<PipelineDeps['media'], 'decodeChunks'>;
    readonly engine: Pick<
      WhisperEngine,
      'transcribe' | 'detectLanguage' | 'speechProbabilities' | 'concurrency'
    >;
    readonly models: Pick<PipelineDeps['models'], 'speedOf' | 'saveSpeed' | 'languageDetector'>;
  };
  readonly context: JobContext;
  readonly source: Pick<Source, 'input' | 'bytesFetched' | 'throwIfFailed'>;
  readonly model: PipelineModel;
  readonly checkpoint: RecognitionCheckpoint;
  readonly range: AudioRange;
  readonly chunking: ChunkOptions;
  /** What is recognized, each by itself. */
  readonly streams: readonly RecognizedStream[];
  /** The transcript's folder, for the waveform and the channels' levels. */
  readonly folder: string;
  /** Collects the audio of a source that is not on this machine; null if it is. */
  readonly audio: RangeAudio | null;
  /** Another pass over the audio that follows: where it begins in the progress, and how long it takes if that is known. */
  readonly next?: { readonly percent: number; readonly seconds: number | null } | undefined;
};

/** A chunk that was submitted and is not saved yet. */
type InFlightChunk = StreamChunk & {
  readonly recognized: Promise<RecognizedChunk>;
  /** Resolves once this chunk and all before it are saved. */
  readonly saved: Promise<void>;
  /** How much of it is recognized, 0 to 1. */
  share: number;
};

/**
 * Recognizes a job's audio: decodes it into chunks, keeps as many in flight as the engine runs at once, and saves
 * their segments in order, each with a checkpoint from which another attempt resumes.
 */
class ChunkScheduler {
  readonly #options: RecognizeAudioOptions;
  readonly #inFlight: InFlightChunk[] = [];
  #lastSaved: Promise<void> = Promise.resolve();
  /** The language at the end of what was submitted last. */
  #previous: Promise<string | null>;
  /** The first error of any chunk: later ones are its consequences. */
  #failure: { readonly reason: unknown } | undefined;
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal;
  readonly #progress: RecognitionProgress;
  #checkpoint: RecognitionCheckpoint;

  constructor(options: RecognizeAudioOptions) {
    this.#options = options;
    this.#checkpoint = options.checkpoint;
    this.#previous = Promise.resolve(options.checkpoint.lastLanguage ?? null);
    this.#progress = new RecognitionProgress(options, this.#recognized());
    this.#signal = AbortSignal.any([options.context.signal, this.#controller.signal]);
  }

  async run(): Promise<{ summary: DecodeSummary; checkpoint: RecognitionCheckpoint }> {
    const { deps, context, source, range, audio } = this.#options;
    const decodes = this.#startDecodes();
    const positions = this.#checkpoint.streams.map(({ at }) => at);
    this.#reportProgress();
    try {
      const chunks = readInTurn(decodes, positions, (end) => this.#progress.shorten(range.expectedEnd - end));
      for await (const next of chunks) {
        await this.#keepShape(next);
        await audio?.write(next.chunk);
        await this.#submit(next);
        // One more than the engine runs at once, so that it never waits for the decoder.
        while (this.#inFlight.length > deps.engine.concurrency) await this.#inFlight[0]?.saved;
      }
      if (this.#options.next === undefined) context.onDraining();
      await this.#lastSaved;
    } catch (error) {
      // A failed chunk aborts the decoder, whose error is then only a consequence.
      const reason = this.#failure === undefined ? error : this.#failure.reason;
      this.#controller.abort();
      await Promise.allSettled(this.#inFlight.map(({ recognized }) => recognized));
      source.throwIfFailed();
      throw reason;
    }
    this.#progress.saveSpeed(this.#recognized());
    return { summary: summaryOf(decodes), checkpoint: this.#checkpoint };
  }

  #startDecodes(): Decode[] {
    const { deps, source, range, chunking, streams } = this.#options;
    return streams.map(({ select }, index) => {
      const { at, chunk } = this.#placeOf(index);
      return deps.media.decodeChunks(source.input, {
        ...(select === undefined ? {} : { select }),
        start: range.start,
        end: range.end,
        chunking: { ...chunking, findSpeech: speechFinder(deps.engine, deps.speechModel, this.#signal) },
        ...(chunk === 0 ? {} : { resume: { at, index: chunk } }),
        signal: this.#signal,
      });
    });
  }

  /** Writes how loud a chunk is, for the waveform, and to compare the channels. */
  async #keepShape(next: StreamChunk): Promise<void> {
    const { folder, range, streams } = this.#options;
    await writePeaks(join(folder, PEAKS_FILE), next, range.start);
    const { channel = null } = streams[next.stream] ?? {};
    if (channel !== null) await writeLevels(join(folder, levelsFile(channel)), next.chunk, range.start);
  }

  /** Where a stream continues. */
  #placeOf(stream: number): StreamCheckpoint {
    return this.#checkpoint.streams[stream] ?? { chunk: 0, at: this.#options.range.start, crashes: {} };
  }

  /** Resolves once the next chunk may be submitted: at once, or when the recording's language is known. */
  async #submit(next: StreamChunk): Promise<void> {
    const { detectsLanguage } = this.#options.model.capabilities;
    const { threshold, fallback } = this.#languages;
    const detector = detectsLanguage ? this.#options.model : this.#options.deps.models.languageDetector();
    const needsLanguage = this.#checkpoint.language === null && !isSilent(next.chunk);
    // A model that recognizes the language follows its changes, unless the request has it checked before anything else.
    const isFollowed = detectsLanguage && threshold === undefined && fallback === undefined;
    if (needsLanguage && !isFollowed) {
      this.#setLanguage(await this.#detectLanguage(next, detector));
    }
    const before = this.#previous;
    const recognized = this.#recognize(next, {
      language: isFollowed && this.#isAuto ? 'auto' : (this.#checkpoint.language ?? 'auto'),
      previous: () => before,
      onProgress: (share) => {
        entry.share = share;
        this.#reportProgress();
      },
    });
    this.#previous = recognized.then(
      ({ language, detected }) => (detected === undefined ? before : language),
      () => null,
    );
    const saved = this.#saveInOrder(next, recognized, this.#lastSaved);
    const entry: InFlightChunk = { ...next, recognized, saved, share: 0 };
    this.#inFlight.push(entry);
    this.#lastSaved = saved;
    // Aborts a decoder that may be waiting for a slow source.
    saved.catch((reason: unknown) => {
      this.#failure ??= { reason };
      this.#controller.abort();
    });
  }

  get #isAuto(): boolean {
    return this.#options.context.transcript.languageAsked === 'auto';
  }

  #recognize(
    next: StreamChunk,
    own: Pick<RecognizeOptions, 'language' | 'previous' | 'onProgress'>,
  ): Promise<RecognizedChunk> {
    const { deps, context, model } = this.#options;
    const { translate, prompt, vocabulary, word_times: wordTimes } = context.transcript.options;
    return this.#withCrashRetry(next, (crashes) =>
      recognizeChunk(next.chunk, {
        engine: deps.engine,
        model,
        expected: this.#languages.expected,
        checksLanguage: !this.#isAuto && next.chunk.index < CHECKED_CHUNKS,
        beamSize: deps.settings.beamSize(),
        translate,
        prompt,
        vocabulary,
        wordTimes,
        signal: this.#signal,
        crashes,
        ...own,
      }),
    );
  }

  get #languages(): LanguageChoice {
    const { options } = this.#options.context.transcript;
    return {
      expected: options.expected_languages,
      fallback: options.fallback_language,
      threshold: options.language_confidence_threshold,
      onLowConfidence: options.on_low_language_confidence,
    };
  }

  #detectLanguage(next: StreamChunk, { path }: Pick<PipelineModel, 'path'>): Promise<DetectedLanguage> {
    const { engine } = this.#options.deps;
    const options = { engine, modelPath: path, choice: this.#languages, signal: this.#signal };
    return this.#withCrashRetry(next, () => detectLanguage(next.chunk, options));
  }

  #setLanguage({ language, confidence }: DetectedLanguage): void {
    const { deps, context } = this.#options;
    this.#checkpoint = { ...this.#checkpoint, language, languageConfidence: confidence };
    updateClaimed(deps.db, context.transcript.id, context.transcript.attempt, {
      language,
      languageConfidence: confidence,
    });
  }

  /** Retries after an engine crash; gives up after MAX_ENGINE_CRASHES_PER_CHUNK on the same chunk. */
  async #withCrashRetry<T>(next: StreamChunk, work: (crashes: number) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work(this.#crashesDuring(next));
      } catch (error) {
        if (!isAppError(error) || error.code !== 'engine_crashed') throw error;
        this.#countCrash(next, error);
      }
    }
  }

  #crashesDuring({ stream, chunk }: StreamChunk): number {
    return this.#placeOf(stream).crashes[chunk.index] ?? 0;
  }

  /** Saves the count, so that a restart of the app continues it. Throws once the limit is reached. */
  #countCrash(next: StreamChunk, cause: Error): void {
    const { stream, chunk } = next;
    const { deps, context } = this.#options;
    const { transcript } = context;
    const count = this.#crashesDuring(next) + 1;
    const isLimitReached = count >= MAX_ENGINE_CRASHES_PER_CHUNK;
    // A retry that a person asks for gets the same number of attempts.
    const crashes = { ...this.#placeOf(stream).crashes, [chunk.index]: isLimitReached ? 0 : count };
    this.#checkpoint = withStream(this.#checkpoint, stream, { crashes });
    updateClaimed(deps.db, transcript.id, transcript.attempt, { checkpoint: this.#checkpoint });
    deps.logger.warn({ transcript: transcript.id, chunk: chunk.index, count }, 'The engine crashed');
    if (!isLimitReached) return;
    const minutes = Math.floor(chunk.start / 60);
    const seconds = String(Math.floor(chunk.start % 60)).padStart(2, '0');
    throw new AppError(
      'engine_crashed',
      `The speech engine went down ${count} times over the audio at ${minutes}:${seconds}. The text up to there is kept; another model may get past it.`,
      { cause },
    );
  }

  async #saveInOrder(
    next: StreamChunk,
    recognized: Promise<RecognizedChunk>,
    previous: Promise<void>,
  ): Promise<void> {
    const [chunk] = await Promise.all([recognized, previous]);
    const { detected } = chunk;
    if (detected !== undefined && this.#checkpoint.language === null) this.#setLanguage(detected);
    const { vocabulary, custom_spelling } = this.#options.context.transcript.options;
    const corrected = applyVocabulary(chunk.segments, vocabulary);
    const segments = applySpelling(corrected.segments, custom_spelling);
    this.#inFlight.shift();
    const first = this.#checkpoint.segments;
    const { channel = null } = this.#options.streams[next.stream] ?? {};
    const numbered = segments.map((segment, index): StoredSegment => {
      return { ...(channel === null ? segment : inChannel(segment, channel)), id: first + index };
    });
    const sure = corrected.kept.map((span) => ({ kind: 'sure' as const, ...span }));
    this.#save(next, numbered, { ...chunk, notes: [...chunk.notes, ...sure] });
    freeMemory(next.chunk.pcm);
    this.#options.context.onSegmentsSaved(numbered);
    this.#reportProgress();
  }

  /** Writes segments and checkpoint in one transaction. */
  #save(
    { stream, chunk }: StreamChunk,
    segments: readonly StoredSegment[],
    { notes, language, detected }: RecognizedChunk,
  ): void {
    const { deps, context, source } = this.#options;
    const { transcript } = context;
    const place: StreamCheckpoint = {
      chunk: chunk.index + 1,
      at: chunk.end,
      crashes: crashesFrom(this.#placeOf(stream).crashes, chunk.index + 1),
    };
    const next: RecognitionCheckpoint = {
      ...withStream(this.#checkpoint, stream, place),
      segments: this.#checkpoint.segments + segments.length,
      notes: [...(this.#checkpoint.notes ?? []), ...notes].slice(0, MAX_NOTES),
      ...(detected === undefined ? {} : { lastLanguage: language }),
    };
    deps.db.transaction(() => {
      const isMine = updateClaimed(deps.db, transcript.id, transcript.attempt, {
        checkpoint: next,
        bytesFetched: source.bytesFetched(),
        appCrashes: 0,
      });
      // Another attempt holds the lease, or the transcript is deleted: drop what this one recognized.
      if (!isMine) throw new AppError('interrupted', 'This job was taken over.');
      insertSegments(deps.db, transcript.id, chunk.index, segments);
    });
    this.#checkpoint = next;
  }

  #reportProgress(): void {
    this.#progress.report(this.#recognized());
  }

  /** Seconds that are recognized in all streams, counting the shares of chunks in flight. */
  #recognized(): number {
    const { start } = this.#options.range;
    const saved = this.#checkpoint.streams.reduce((sum, { at }) => sum + at - start, 0);
    return this.#inFlight.reduce(
      (sum, { chunk, share }) => sum + (chunk.end - chunk.start) * clamp(share, 0, 1),
      saved,
    );
  }
}

/** Recognizes the audio from the checkpoint on. Rejects with an AppError; what is saved by then stays. */
export const recognizeAudio = (options: RecognizeAudioOptions) => new ChunkScheduler(options).run();
