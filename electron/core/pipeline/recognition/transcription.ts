import type { AnalysisOptions } from '../../../contract/transcript.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { clamp } from '../../base/numbers.ts';
import type { AudioChunk, DecodeSummary } from '../../engines/ffmpeg/types.ts';
import type { RecognitionCheckpoint } from '../../stores/codecs.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { insertSegments, type StoredSegment } from '../../stores/segments.ts';
import { crashesFrom } from '../checkpoint.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import type { Source } from '../source/acquire.ts';
import type { RangeAudio } from '../source/range-audio.ts';
import type { JobContext } from '../types.ts';
import { writePeaks } from './peaks.ts';
import {
  type DetectedLanguage,
  detectLanguage,
  detectsLanguageItself,
  isSilent,
  type RecognizeOptions,
  recognizeChunk,
} from './recognizer.ts';
import type { RecognizedSegment } from './words.ts';

const FROM_PERCENT = 10;
const TO_PERCENT = 95;
const MOST_CRASHES = 3;

/** A part of the audio, in seconds on the source's timeline. */
export type Range = {
  readonly start: number;
  /** null: to the end. */
  readonly end: number | null;
  /** Where it will probably end; infinite where nothing says so. */
  readonly expectedEnd: number;
};

type Options = {
  readonly deps: PipelineDeps;
  readonly context: JobContext;
  readonly source: Source;
  readonly model: PipelineModel;
  readonly checkpoint: RecognitionCheckpoint;
  readonly range: Range;
  readonly peaksPath: string;
  /** Gathers the sound of a source that is not kept itself. */
  readonly audio: RangeAudio | null;
};

/** A chunk on its way: it has landed once it and all before it are saved. */
type Flight = {
  readonly chunk: AudioChunk;
  readonly result: Promise<RecognizedSegment[]>;
  readonly landed: Promise<void>;
  fraction: number;
};

/** Recognises a job's audio chunk by chunk, several side by side, and saves each as soon as all before it are saved. */
class Transcription {
  readonly #o: Options;
  readonly #flights: Flight[] = [];
  #lastLanded: Promise<void> = Promise.resolve();
  /** Why a chunk did not land: the first reason of all. */
  #failure: { readonly reason: unknown } | undefined;
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal;
  readonly #startedAt: number;
  readonly #startedFrom: number;
  readonly #asked: Pick<AnalysisOptions, 'translate' | 'prompt'>;
  #checkpoint: RecognitionCheckpoint;

  constructor(options: Options) {
    this.#o = options;
    this.#asked = options.context.transcript.options;
    this.#checkpoint = options.checkpoint;
    this.#startedFrom = options.checkpoint.at;
    this.#startedAt = options.deps.clock.monotonic();
    this.#signal = AbortSignal.any([options.context.signal, this.#controller.signal]);
  }

  async run(): Promise<{ summary: DecodeSummary; checkpoint: RecognitionCheckpoint }> {
    const { deps, source, range } = this.#o;
    const { at, chunk: index } = this.#checkpoint;
    const decode = deps.media.decodeChunks(source.input, {
      start: range.start,
      end: range.end,
      ...(index === 0 ? {} : { resume: { at, index } }),
      signal: this.#signal,
    });
    this.#report();
    try {
      for await (const next of decode.chunks) {
        await writePeaks(this.#o.peaksPath, next, range.start);
        await this.#o.audio?.write(next);
        await this.#launch(next);
        // One more than run side by side waits, so that the engine never does.
        while (this.#flights.length > deps.engine.concurrency) await this.#flights[0]?.landed;
      }
      this.#o.context.windsUp();
      await this.#lastLanded;
    } catch (error) {
      // What ended the decoding may itself be the end of a chunk: see below.
      const reason = this.#failure === undefined ? error : this.#failure.reason;
      this.#controller.abort();
      await Promise.allSettled(this.#flights.map((flight) => flight.result));
      source.check();
      throw reason;
    }
    this.#noteSpeed();
    return { summary: decode.summary(), checkpoint: this.#checkpoint };
  }

  async #launch(chunk: AudioChunk): Promise<void> {
    const unknown = this.#checkpoint.language === null && !isSilent(chunk);
    if (unknown && !detectsLanguageItself(chunk)) this.#settleLanguage(await this.#detectLanguage(chunk));
    const language = Promise.withResolvers<void>();
    const result = this.#recognise(chunk, {
      onProgress: (fraction) => {
        flight.fraction = fraction;
        this.#report();
      },
      onLanguage: (found) => {
        this.#settleLanguage(found);
        language.resolve();
      },
    });
    const landed = this.#land(chunk, result, this.#lastLanded);
    const flight: Flight = { chunk, result, landed, fraction: 0 };
    this.#flights.push(flight);
    this.#lastLanded = landed;
    // A source that comes slowly is not waited for once a chunk has failed: that ends the decoding.
    landed.catch((reason: unknown) => {
      this.#failure ??= { reason };
      this.#controller.abort();
    });
    // The next chunks are heard in the language of the first.
    if (unknown && this.#checkpoint.language === null) await Promise.race([language.promise, landed]);
  }

  async #recognise(
    chunk: AudioChunk,
    listeners: Pick<RecognizeOptions, 'onProgress' | 'onLanguage'>,
  ): Promise<RecognizedSegment[]> {
    const { deps, model } = this.#o;
    return this.#enduring(chunk, (alone) =>
      recognizeChunk(chunk, {
        engine: deps.engine,
        modelPath: model.path,
        language: this.#checkpoint.language ?? 'auto',
        beamSize: deps.settings.beamSize(),
        fitWindow: deps.settings.fitWindow(),
        translate: this.#asked.translate,
        prompt: this.#asked.prompt,
        signal: this.#signal,
        exclusive: alone,
        ...listeners,
      }),
    );
  }

  #detectLanguage(chunk: AudioChunk): Promise<DetectedLanguage> {
    const { deps, model } = this.#o;
    return this.#enduring(chunk, () =>
      detectLanguage(chunk, { engine: deps.engine, modelPath: model.path, signal: this.#signal }),
    );
  }

  #settleLanguage({ language, confidence }: DetectedLanguage): void {
    const { deps, context } = this.#o;
    this.#checkpoint = { ...this.#checkpoint, language, languageConfidence: confidence };
    updateClaimed(deps.db, context.transcript.id, context.transcript.attempt, {
      language,
      languageConfidence: confidence,
    });
  }

  /** Does something with the engine again when that went down, until it has done so too often over this chunk. */
  async #enduring<T>(chunk: AudioChunk, work: (alone: boolean) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work(this.#crashesAt(chunk) > 0);
      } catch (error) {
        if (!isAppError(error) || error.code !== 'engine_crashed') throw error;
        this.#countCrash(chunk, error);
      }
    }
  }

  #crashesAt(chunk: AudioChunk): number {
    return this.#checkpoint.crashes[chunk.index] ?? 0;
  }

  /** Notes a crash where a restart finds it. Throws when the engine went down too often over this chunk. */
  #countCrash(chunk: AudioChunk, cause: Error): void {
    const { deps, context } = this.#o;
    const times = this.#crashesAt(chunk) + 1;
    const tooOften = times >= MOST_CRASHES;
    // A person who tries again after the failure gets as many tries as at first.
    const crashes = { ...this.#checkpoint.crashes, [chunk.index]: tooOften ? 0 : times };
    this.#checkpoint = { ...this.#checkpoint, crashes };
    updateClaimed(deps.db, context.transcript.id, context.transcript.attempt, {
      checkpoint: this.#checkpoint,
    });
    // Said only once it is kept.
    deps.logger.warn(
      { transcript: context.transcript.id, chunk: chunk.index, times },
      'The engine went down over a chunk',
    );
    if (!tooOften) return;
    const minutes = Math.floor(chunk.start / 60);
    const seconds = String(Math.floor(chunk.start % 60)).padStart(2, '0');
    throw new AppError(
      'engine_crashed',
      `The speech engine went down ${times} times over the audio at ${minutes}:${seconds}. The text up to there is kept; another model may get past it.`,
      { cause },
    );
  }

  /** Saves a chunk as soon as it is recognised and all before it are saved. */
  async #land(
    chunk: AudioChunk,
    result: Promise<RecognizedSegment[]>,
    previous: Promise<void>,
  ): Promise<void> {
    const [recognised] = await Promise.all([result, previous]);
    this.#flights.shift();
    const segments = recognised.map(
      (segment, index): StoredSegment => ({ ...segment, id: this.#checkpoint.segments + index }),
    );
    this.#save(chunk, segments);
    this.#o.context.recognised(segments);
    this.#report();
  }

  /** Segments and checkpoint in one transaction. */
  #save(chunk: AudioChunk, segments: readonly StoredSegment[]): void {
    const { deps, context, source } = this.#o;
    const { transcript } = context;
    const next: RecognitionCheckpoint = {
      ...this.#checkpoint,
      chunk: chunk.index + 1,
      at: chunk.end,
      segments: this.#checkpoint.segments + segments.length,
      crashes: crashesFrom(this.#checkpoint.crashes, chunk.index + 1),
    };
    deps.db.transaction(() => {
      const mine = updateClaimed(deps.db, transcript.id, transcript.attempt, {
        checkpoint: next,
        bytesFetched: source.bytesFetched(),
        appCrashes: 0,
      });
      // Another claim, or nobody: what was recognised here is not wanted any more.
      if (!mine) throw new AppError('interrupted', 'This job was taken over.');
      insertSegments(deps.db, transcript.id, chunk.index, segments);
    });
    this.#checkpoint = next;
  }

  #done(): number {
    const flying = this.#flights.reduce(
      (sum, { chunk, fraction }) => sum + (chunk.end - chunk.start) * clamp(fraction, 0, 1),
      0,
    );
    return this.#checkpoint.at + flying;
  }

  #speed(done: number): number | null {
    const { deps, model } = this.#o;
    const elapsed = (deps.clock.monotonic() - this.#startedAt) / 1000;
    const seconds = done - this.#startedFrom;
    if (elapsed < 1 || seconds < 5) return deps.models.speedOf(model.id) ?? null;
    return seconds / elapsed;
  }

  #report(): void {
    const { range, context } = this.#o;
    const done = this.#done();
    const speed = this.#speed(done);
    if (!Number.isFinite(range.expectedEnd)) {
      context.report({ stage: 'transcribing', percent: FROM_PERCENT, etaSeconds: null, speed });
      return;
    }
    const share = clamp((done - range.start) / Math.max(0.001, range.expectedEnd - range.start), 0, 1);
    context.report({
      stage: 'transcribing',
      percent: FROM_PERCENT + share * (TO_PERCENT - FROM_PERCENT),
      etaSeconds: speed === null || speed === 0 ? null : Math.max(0, range.expectedEnd - done) / speed,
      speed,
    });
  }

  #noteSpeed(): void {
    const { deps, model } = this.#o;
    const seconds = this.#checkpoint.at - this.#startedFrom;
    const elapsed = (deps.clock.monotonic() - this.#startedAt) / 1000;
    if (seconds >= 5 && elapsed > 0) deps.models.noteSpeed(model.id, seconds / elapsed);
  }
}

/** Recognises the audio from the checkpoint on. Rejects with an AppError; everything saved until then stays. */
export const transcribeAudio = (options: Options) => new Transcription(options).run();
