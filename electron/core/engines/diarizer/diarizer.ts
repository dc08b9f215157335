import { toSeconds } from '../../base/audio.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { freeMemory } from '../../base/memory.ts';
import type { ForkWorker } from '../worker/client.ts';
import { runWithin, withDedicatedWorker } from '../worker/dedicated.ts';
import {
  type Diarization,
  type DiarizationModels,
  diarizeChunkTask,
  diarizeEndTask,
  type TrySpeakerModelInput,
  trySpeakerModelTask,
} from './tasks.ts';

export type DiarizeOptions = {
  readonly models: DiarizationModels;
  /** The number of speakers, if it is known. */
  readonly speakers: number | null;
  readonly signal: AbortSignal;
};

/** Lets a model file do its work, beside a working model of the other part. Throws `model_invalid`, `cancelled`. */
export type TrySpeakerModel = (
  options: TrySpeakerModelInput & { readonly signal?: AbortSignal | undefined },
) => Promise<void>;

/**
 * Diarizes consecutive chunks of a recording, mono at 16 kHz; times are seconds from the start of the first. Rejects
 * with `engine_crashed`, `cancelled`.
 */
export type Diarizer = (
  chunks: AsyncIterable<{ readonly pcm: Float32Array }>,
  options: DiarizeOptions,
) => Promise<Diarization>;

/** A process that takes longer hangs: time to load the models on a slow machine, and for each second of audio. */
const LOADING_MS = 10 * 60_000;
const CHUNK_MS_PER_SECOND = 10_000;
const END_MS_PER_SECOND = 1000;

/** Diarizes each recording in a process of its own. This process holds one chunk at a time. */
export const createDiarizer =
  (fork: ForkWorker): Diarizer =>
  (chunks, { models, speakers, signal }) =>
    withDedicatedWorker(
      () => fork(['diarizer']),
      signal,
      async (client) => {
        let total = 0;
        for await (const { pcm } of chunks) {
          const seconds = toSeconds(pcm.length);
          total += seconds;
          await runWithin(
            client,
            diarizeChunkTask,
            { models, pcm },
            LOADING_MS + CHUNK_MS_PER_SECOND * seconds,
          );
          freeMemory(pcm);
        }
        const limitMs = LOADING_MS + END_MS_PER_SECOND * total;
        return await runWithin(client, diarizeEndTask, { models, speakers }, limitMs);
      },
    );

/** Tries models in a process of their own, because the library ends its process over a file that it cannot use. */
export const createSpeakerModelTrial =
  (fork: ForkWorker): TrySpeakerModel =>
  async ({ signal, ...input }) => {
    try {
      await withDedicatedWorker(
        () => fork(['diarizer']),
        signal,
        (client) => runWithin(client, trySpeakerModelTask, input, LOADING_MS),
      );
    } catch (error) {
      if (!isAppError(error) || error.code === 'cancelled') throw error;
      throw new AppError('model_invalid', `The ${input.part} model in this file does not work.`, {
        cause: error,
      });
    }
  };
