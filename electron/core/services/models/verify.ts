import { stat } from 'node:fs/promises';
import { onAbort } from '../../base/abort.ts';
import { concatSamples, SAMPLE_RATE } from '../../base/audio.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import type { TrySpeakerModel } from '../../engines/diarizer/diarizer.ts';
import type { SpeakerModelPart } from '../../engines/diarizer/tasks.ts';
import type { MediaEngine } from '../../engines/ffmpeg/types.ts';
import type { WhisperEngine } from '../../engines/whisper/engine.ts';
import type { ModelFacts } from '../../engines/whisper/types.ts';
import { BUNDLED, type CatalogueModel, checkSpeakerFile, hashFile, speakerPartOf } from './catalogue.ts';
import type { ModelFiles } from './files.ts';

export type BenchmarkDeps = {
  readonly media: Pick<MediaEngine, 'decodeChunks'>;
  readonly engine: Pick<WhisperEngine, 'transcribe' | 'concurrency'>;
  /** The path of a short bundled recording. */
  readonly sample: string;
};

/** The options that transcriptions use, so that they are as fast as measured. */
type Decoding = { readonly modelPath: string; readonly beamSize: number };

export type Benchmark = {
  /** Seconds of audio transcribed. */
  readonly seconds: number;
  /** Seconds it took, without loading the model. */
  readonly elapsed: number;
  /** Times real time. */
  readonly speed: number;
};

/** The bundled recording. Throws `decode_failed`. */
export const decodeSample = async ({
  media,
  sample,
}: Pick<BenchmarkDeps, 'media' | 'sample'>): Promise<Float32Array> => {
  const chunks: Float32Array[] = [];
  for await (const { pcm } of media.decodeChunks({ kind: 'file', path: sample }).chunks) chunks.push(pcm);
  const pcm = concatSamples(chunks);
  if (pcm.length < SAMPLE_RATE) throw new AppError('decode_failed', 'The sample recording is empty.');
  return pcm;
};

/**
 * Measures how many times faster than real time a model is on this machine. Transcribes the sample as often as chunks run
 * at once in a long recording, all at once.
 */
export const measureSpeed = async (
  deps: BenchmarkDeps,
  { modelPath, beamSize }: Decoding,
): Promise<Benchmark> => {
  const sample = await decodeSample(deps);
  const { engine } = deps;
  const transcribe = (pcm: Float32Array) =>
    engine.transcribe({ modelPath, pcm, params: { beamSize, language: 'en' } });
  // Load the model first: a long recording waits for that only once.
  await transcribe(sample.slice(0, SAMPLE_RATE));
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: engine.concurrency }, () => transcribe(sample)));
  const elapsed = (performance.now() - startedAt) / 1000;
  const seconds = (sample.length / SAMPLE_RATE) * engine.concurrency;
  return { seconds, elapsed, speed: seconds / elapsed };
};

export type FactsEngine = Pick<WhisperEngine, 'modelFacts'>;

/** What verifying a model file takes. */
export type ModelTrial = {
  readonly engine: FactsEngine;
  readonly trySpeakerModel: TrySpeakerModel;
  /** The path of the bundled model of a part. */
  readonly bundled: (part: SpeakerModelPart) => string;
};

const invalidModel = (message: string, cause?: unknown): AppError =>
  new AppError('model_invalid', message, { cause });

/** Whether the file itself is at fault, so that it is of no use. */
export const isInvalidModel = (error: unknown): boolean =>
  isAppError(error) && error.code === 'model_invalid';

/** Checks a file's size and checksum. Throws `model_invalid`. */
export const checkAgainstCatalogue = async (
  path: string,
  model: CatalogueModel,
  signal?: AbortSignal,
): Promise<void> => {
  const { size } = await stat(path);
  if (size < model.sizeBounds.min || size > model.sizeBounds.max) {
    throw invalidModel(
      `What came is not ${model.id}: it has ${formatBytes(size)}, and the model has ${formatBytes(model.size)}.`,
    );
  }
  const { algorithm, hex } = model.checksum;
  const found = await hashFile(path, algorithm, signal);
  if (found === hex) return;
  const name = algorithm === 'sha1' ? 'SHA-1' : 'SHA-256';
  throw invalidModel(
    `What came is not ${model.id}: its ${name} is ${found.slice(0, 12)}…, and ${hex.slice(0, 12)}… is right. The file was removed.`,
  );
};

/** Checks the checksums of the bundled models. Throws `model_invalid`. */
export const checkBundled = async (files: ModelFiles): Promise<void> => {
  for (const { id, checksum } of BUNDLED) {
    const path = files.path(id);
    if (path !== undefined && (await hashFile(path, checksum.algorithm)) === checksum.hex) continue;
    throw invalidModel(
      `The model ${id}, which comes with Earshot, is damaged or missing. Install Earshot again.`,
    );
  }
};

/** The error for a server that announces or sends more than the model's size. */
export const tooLarge = (model: CatalogueModel, cause: unknown): AppError =>
  invalidModel(
    `What came is not ${model.id}: it is larger than the model's ${formatBytes(model.size)}.`,
    cause,
  );

/**
 * Checks a whole model file with the engine. Throws `model_invalid`, `engine_unavailable`, and `cancelled` at once when the
 * signal aborts, although the engine may still be reading.
 */
export const readFacts = async (
  engine: FactsEngine,
  path: string,
  signal?: AbortSignal,
): Promise<ModelFacts> => {
  const cancelled = Promise.withResolvers<never>();
  const cancel = () => cancelled.reject(new AppError('cancelled', 'The check of the model was stopped.'));
  const unlisten = onAbort(signal, cancel);
  if (signal?.aborted) cancel();
  try {
    return await Promise.race([engine.modelFacts(path), cancelled.promise]);
  } catch (error) {
    if (isAppError(error) && error.code === 'engine_crashed') {
      throw invalidModel('This file made the engine crash while it was checked, so it was not kept.', error);
    }
    throw error;
  } finally {
    unlisten();
  }
};

/** Checks a speaker model's metadata, then tries it. Throws `model_invalid`, `cancelled`. */
export const checkSpeakerModel = async (
  { trySpeakerModel, bundled }: Pick<ModelTrial, 'trySpeakerModel' | 'bundled'>,
  part: SpeakerModelPart,
  path: string,
  signal?: AbortSignal,
): Promise<void> => {
  await checkSpeakerFile(path, part);
  const counterpart = bundled(part === 'segmentation' ? 'embedding' : 'segmentation');
  await trySpeakerModel({ part, path, counterpart, signal });
};

/** Throws `model_invalid` if a file cannot be the model of this id, `engine_unavailable`, `cancelled`. */
export const checkModelFile = async (
  trial: ModelTrial,
  id: string,
  path: string,
  signal?: AbortSignal,
): Promise<void> => {
  const part = speakerPartOf(id);
  if (part === undefined) await readFacts(trial.engine, path, signal);
  else await checkSpeakerModel(trial, part, path, signal);
};
