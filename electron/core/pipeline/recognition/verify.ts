import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { AppError, type AppErrorCode, isAppError } from '../../base/errors.ts';
import { mapInOrder } from '../../base/in-order.ts';
import { freeMemory } from '../../base/memory.ts';
import { clamp, mean, round, roundMs } from '../../base/numbers.ts';
import { joinTexts } from '../../base/text.ts';
import { formatClock } from '../../base/time.ts';
import type { AudioChunk } from '../../engines/ffmpeg/types.ts';
import type { RecognitionCheckpoint } from '../../stores/codecs.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { readSegmentsBefore, type StoredWord, updateSegment } from '../../stores/segments.ts';
import type { JobContext, PipelineDeps, PipelineModel, PipelineModels } from '../deps.ts';
import type { Recording } from '../source/recording.ts';
import { type AlignedPair, alignWords } from './align-words.ts';
import { MAX_ENGINE_CRASHES_PER_CHUNK } from './chunk-scheduler.ts';
import { applySpelling, applyVocabulary } from './custom-spelling.ts';
import { END_PERCENT, MIN_MEASURED_SECONDS, START_PERCENT } from './progress.ts';
import { chunkingFor, recognizeChunk, speechFinder } from './recognizer.ts';

/** What stands around a word: punctuation before and after it. */
const AROUND = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su;

const around = (word: string) => {
  const [, before = '', core = word, after = ''] = AROUND.exec(word) ?? [];
  return { before, core, after };
};

/** Without case and signs: "E-mail," and "email" are one word. */
const keyOf = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '') || word;

const confidenceOf = (words: readonly StoredWord[]): number =>
  mean(words.map(({ confidence }) => confidence));

/** The probability that a word is right on which two independent readings agree: that not both are wrong. */
const agreed = (a: number, b: number): number => round(1 - (1 - a) * (1 - b), 4);

type Pairs = readonly AlignedPair[];

const ownOf = (pairs: Pairs): number[] => pairs.flatMap(([i]) => (i === null ? [] : [i]));
const heardOf = (pairs: Pairs): number[] => pairs.flatMap(([, j]) => (j === null ? [] : [j]));

/**
 * The places of two readings: each word that is the same, and each run between such words. Words that only the second
 * reading has join the word before them, else the one after them, which carries them; `unattached` if there is none.
 */
const placesOf = (pairs: Pairs, isSame: (pair: AlignedPair) => boolean) => {
  const runs: AlignedPair[][] = [];
  let wasSame = true;
  for (const pair of pairs) {
    const same = isSame(pair);
    const last = runs.at(-1);
    if (same || wasSame || last === undefined) runs.push([pair]);
    else last.push(pair);
    wasSame = same;
  }
  const places: AlignedPair[][] = [];
  let leading: AlignedPair[] = [];
  for (const run of runs) {
    const last = places.at(-1);
    if (ownOf(run).length > 0) places.push([...leading.splice(0), ...run]);
    else if (last === undefined) leading = run;
    else last.push(...run);
  }
  return { places, unattached: heardOf(leading) };
};

/** The recognized words with the punctuation that the first reading has around its word. */
const punctuatedLike = (word: string, heard: readonly StoredWord[]): string => {
  if (heard.length === 0) return '';
  const texts = heard.map((each, index) => {
    const { before, core, after } = around(each.word);
    return `${index === 0 ? '' : before}${core}${index === heard.length - 1 ? '' : after}`;
  });
  const { before, after } = around(word);
  return `${before}${joinTexts(texts)}${after}`;
};

/** Each own word of a place, with the recognized words that belong to it: its counterpart, and those beside it without one. */
const partsOf = (pairs: Pairs): Map<number, number[]> => {
  const parts = new Map<number, number[]>();
  const leading: number[] = [];
  let last: number[] = leading;
  for (const [i, j] of pairs) {
    if (i !== null) {
      last = leading.splice(0);
      parts.set(i, last);
    }
    if (j !== null) last.push(j);
  }
  return parts;
};

type SecondReading = {
  /** The words of the first reading, in their number and order. */
  readonly words: StoredWord[];
  /** Words of the second reading where the first has none at all. */
  readonly unattached: readonly StoredWord[];
};

/**
 * Compares what two models recognized in one chunk of audio. Words on which they agree get a higher confidence; words on which
 * they differ keep theirs and carry the other reading as an alternative, an empty one if the second model recognized
 * nothing. Neighboring words with alternatives are one place: their alternatives belong together.
 */
export const compareReadings = (
  words: readonly StoredWord[],
  heard: readonly StoredWord[],
  model: string,
): SecondReading => {
  const [keys, heardKeys] = [words, heard].map((reading) => reading.map(({ word }) => keyOf(word)));
  const isEqual = (i: number, j: number): boolean => keys?.[i] === heardKeys?.[j];
  const wordsAt = (indices: readonly number[]) => indices.flatMap((j) => heard[j] ?? []);
  const compared = words.map((word) => ({ ...word }));
  const { places, unattached } = placesOf(
    alignWords(words, heard, isEqual),
    ([i, j]) => i !== null && j !== null && isEqual(i, j),
  );
  for (const place of places) {
    const own = ownOf(place);
    const other = wordsAt(heardOf(place));
    const confidence = confidenceOf(other.length > 0 ? other : heard);
    const isAgreed =
      own.map((i) => keys?.[i] ?? '').join('') === other.map(({ word }) => keyOf(word)).join('');
    for (const [i, part] of partsOf(place)) {
      const word = compared[i];
      if (word === undefined) continue;
      const mine = wordsAt(part);
      if (isAgreed) word.confidence = agreed(word.confidence, confidence);
      else {
        const certainty = round(mine.length > 0 ? confidenceOf(mine) : confidence, 4);
        word.alternatives = [{ text: punctuatedLike(word.word, mine), model, confidence: certainty }];
      }
    }
  }
  return { words: compared, unattached: wordsAt(unattached) };
};

type Verified = NonNullable<RecognitionCheckpoint['verified']>;

type VerifyOptions = {
  readonly deps: Pick<
    PipelineDeps,
    'db' | 'clock' | 'logger' | 'media' | 'engine' | 'settings' | 'models' | 'speechModel'
  >;
  readonly context: JobContext;
  /** Null if the audio is no longer on this machine. */
  readonly recording: Recording | null;
  /** The second model. */
  readonly model: PipelineModel;
  readonly checkpoint: RecognitionCheckpoint;
  /** The first model. */
  readonly after: Pick<PipelineModel, 'id' | 'capabilities'>;
  /** Seconds of audio. */
  readonly duration: number;
};

/** Most places that the warning names at which only the second model recognized anything. */
const MAX_MISSED = 10;

/** Reasons that the window translates, each a part of a sentence; the log has the code of any other. */
const FAILURES: Partial<Readonly<Record<AppErrorCode, string>>> = {
  engine_crashed: 'the engine crashed several times at the same place',
  model_invalid: 'the file of the model is damaged',
  model_not_installed: 'the model is not installed any more',
  file_not_found: 'the audio is not kept any more',
  decode_failed: 'the audio could not be read again',
  disk_full: 'the disk is full',
};
const notVerified = (model: string, reason: string): StoredWarning =>
  warningOf('not_verified', { model, reason });

/** Where the second pass begins in a job's progress, and how long it takes: by the models' measured speeds. */
export const secondPass = (
  models: Pick<PipelineModels, 'speedOf'>,
  first: Pick<PipelineModel, 'id'>,
  second: Pick<PipelineModel, 'id'>,
  duration: number,
): { percent: number; seconds: number | null } => {
  const [speed, again] = [models.speedOf(first.id), models.speedOf(second.id)];
  const share = speed && again ? again / (speed + again) : 0.5;
  return {
    percent: START_PERCENT + share * (END_PERCENT - START_PERCENT),
    seconds: again ? duration / again : null,
  };
};

/** Recognizes a job's audio again with another model, chunk by chunk, each saved with a checkpoint. */
class Verification {
  readonly #options: VerifyOptions;
  readonly #recording: Recording;
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal;
  readonly #startedAt: number;
  readonly #startedFrom: number;
  #done: Verified;

  constructor(options: VerifyOptions, recording: Recording) {
    this.#options = options;
    this.#recording = recording;
    this.#signal = AbortSignal.any([options.context.signal, this.#controller.signal]);
    this.#done = options.checkpoint.verified ?? {
      chunk: 0,
      at: recording.range?.start ?? 0,
      segments: 0,
      missed: [],
    };
    this.#startedAt = options.deps.clock.monotonic();
    this.#startedFrom = this.#done.at;
  }

  /** Seconds on the transcript's timeline at which only the second model recognized anything. */
  async run(): Promise<readonly number[]> {
    const { deps, context, model, after } = this.#options;
    const { input, range } = this.#recording;
    const { chunk: index, at } = this.#done;
    const { chunks } = deps.media.decodeChunks(input, {
      ...range,
      chunking: {
        ...chunkingFor(after, model),
        findSpeech: speechFinder(deps.engine, deps.speechModel, this.#signal),
      },
      ...(index === 0 ? {} : { resume: { at, index } }),
      signal: this.#signal,
    });
    this.#reportProgress();
    try {
      // One more than the engine runs at once, so that it never waits for the decoder.
      const heard = mapInOrder(chunks, deps.engine.concurrency + 1, (chunk) => this.#recognize(chunk));
      for await (const { item, result } of heard) {
        this.#save(item, result);
        freeMemory(item.pcm);
        this.#reportProgress();
      }
    } catch (error) {
      this.#controller.abort();
      throw error;
    }
    context.onDraining();
    const { seconds, speed } = this.#measured();
    if (seconds >= MIN_MEASURED_SECONDS && speed > 0) deps.models.saveSpeed(model.id, speed);
    return this.#done.missed;
  }

  get position(): number {
    return this.#done.at + this.#recording.shift;
  }

  /** The words of a chunk, spelled as the first reading is, on the transcript's timeline. */
  async #recognize(chunk: AudioChunk): Promise<StoredWord[]> {
    const { deps, context, model, checkpoint } = this.#options;
    const { prompt, vocabulary, custom_spelling } = context.transcript.options;
    for (let crashes = 0; ; ) {
      try {
        const { segments } = await recognizeChunk(chunk, {
          engine: deps.engine,
          model,
          language: checkpoint.language ?? 'auto',
          beamSize: deps.settings.beamSize(),
          translate: false,
          prompt,
          vocabulary,
          signal: this.#signal,
          crashes,
        });
        const { shift } = this.#recording;
        return applySpelling(applyVocabulary(segments, vocabulary).segments, custom_spelling)
          .flatMap(({ words }) => words)
          .map((word) => ({ ...word, start: roundMs(word.start + shift), end: roundMs(word.end + shift) }));
      } catch (error) {
        crashes++;
        const isCrash = isAppError(error) && error.code === 'engine_crashed';
        if (!isCrash || crashes >= MAX_ENGINE_CRASHES_PER_CHUNK) throw error;
      }
    }
  }

  /** Writes the compared words and the checkpoint in one transaction, so that no word is compared twice. */
  #save(chunk: AudioChunk, heard: readonly StoredWord[]): void {
    const { deps, context, model, checkpoint } = this.#options;
    const { id, attempt } = context.transcript;
    const end = chunk.end + this.#recording.shift;
    // Both passes cut the audio alike, so a segment lies in one chunk.
    const segments = readSegmentsBefore(deps.db, id, this.#done.segments, end);
    const { words, unattached } = compareReadings(
      segments.flatMap((segment) => segment.words),
      heard,
      model.id,
    );
    const [first] = unattached;
    const next: Verified = {
      chunk: chunk.index + 1,
      at: chunk.end,
      segments: this.#done.segments + segments.length,
      missed: [...this.#done.missed, ...(first === undefined ? [] : [first.start])].slice(0, MAX_MISSED),
    };
    deps.db.transaction(() => {
      const change = { checkpoint: { ...checkpoint, verified: next }, appCrashes: 0 };
      const isMine = updateClaimed(deps.db, id, attempt, change);
      if (!isMine) throw new AppError('interrupted', 'This job was taken over.');
      let from = 0;
      for (const segment of segments) {
        const to = from + segment.words.length;
        updateSegment(deps.db, id, { ...segment, words: words.slice(from, to) });
        from = to;
      }
    });
    this.#done = next;
  }

  /** Seconds of audio since this pass began or resumed, and times real time. */
  #measured(): { readonly seconds: number; readonly speed: number } {
    const seconds = this.#done.at - this.#startedFrom;
    const elapsed = (this.#options.deps.clock.monotonic() - this.#startedAt) / 1000;
    return { seconds, speed: elapsed > 0 ? seconds / elapsed : 0 };
  }

  #reportProgress(): void {
    const { deps, context, duration, model, after } = this.#options;
    const done = this.#done.at - (this.#recording.range?.start ?? 0);
    const { percent } = secondPass(deps.models, after, model, duration);
    const measured = this.#measured();
    const speed = measured.seconds < MIN_MEASURED_SECONDS ? deps.models.speedOf(model.id) : measured.speed;
    context.onProgress({
      stage: 'verifying',
      percent: percent + clamp(done / Math.max(0.001, duration), 0, 1) * (END_PERCENT - percent),
      etaSeconds: speed ? Math.max(0, duration - done) / speed : null,
      speed: speed ?? null,
    });
  }
}

const missedWarning = (model: string, missed: readonly number[]): StoredWarning[] => {
  if (missed.length === 0) return [];
  const places = missed.map((seconds) => formatClock(seconds)).join(', ');
  return [warningOf('words_missing', { model, places })];
};

/**
 * Recognizes the audio again with a second model and marks in the stored words where the two differ: see `compareReadings`.
 * Returns warnings: a failure is one, too, because the text is worth keeping as one model recognized it. Throws `cancelled`,
 * `interrupted`.
 */
export const verifyTranscript = async (options: VerifyOptions): Promise<StoredWarning[]> => {
  const { deps, context, recording, model, checkpoint } = options;
  const { language } = checkpoint;
  if (checkpoint.segments === 0) return [];
  if (recording === null) return [notVerified(model.id, 'the audio is not kept any more')];
  const only = model.capabilities.onlyLanguage;
  if (only !== null && language !== null && language !== only) {
    return [notVerified(model.id, `it does not know the language of the recording (${language})`)];
  }
  const verification = new Verification(options, recording);
  try {
    return missedWarning(model.id, await verification.run());
  } catch (error) {
    throwIfAborted(context.signal);
    if (!isAppError(error) || error.code === 'interrupted') throw error;
    deps.logger.warn({ transcript: context.transcript.id, code: error.code }, 'Verification failed');
    const at = formatClock(verification.position);
    const reason = FAILURES[error.code] ?? 'something went wrong';
    return [warningOf('verified_partly', { model: model.id, at, reason })];
  }
};
