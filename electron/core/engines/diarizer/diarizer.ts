import { AppError, isAppError } from '../../base/errors.ts';
import { freeMemory } from '../../base/memory.ts';
import { withDedicatedWorker } from '../worker/dedicated.ts';
import type { ForkWorker } from '../worker/process.ts';
import { diarizeChunkTask, diarizeEndTask, type TrySpeakerModelInput, trySpeakerModelTask } from './tasks.ts';
import type { Diarization, DiarizationModels } from './types.ts';

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

/** Diarizes each recording in a process of its own. This process holds one chunk at a time. */
export const createDiarizer =
  (fork: ForkWorker): Diarizer =>
  (chunks, { models, speakers, signal }) =>
    withDedicatedWorker(
      () => fork(['diarizer']),
      signal,
      async (client) => {
        for await (const { pcm } of chunks) {
          await client.run(diarizeChunkTask, { models, pcm }).promise;
          freeMemory(pcm);
        }
        return await client.run(diarizeEndTask, { models, speakers }).promise;
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
        (client) => client.run(trySpeakerModelTask, input).promise,
      );
    } catch (error) {
      if (!isAppError(error) || error.code === 'cancelled') throw error;
      throw new AppError('model_invalid', `The ${input.part} model in this file does not work.`, {
        cause: error,
      });
    }
  };
