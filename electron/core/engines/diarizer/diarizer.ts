import { throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import type { AudioPiece } from '../ffmpeg/types.ts';
import { WorkerClient } from '../whisper/worker-client.ts';
import type { ForkWorker } from '../whisper/worker-process.ts';
import { DIARIZER_FLAG, type Diarization, type DiarizationModels, type SpeakerModelPart } from './types.ts';

export type DiarizeOptions = {
  readonly models: DiarizationModels;
  /** How many people speak, where it is known. */
  readonly speakers: number | null;
  readonly signal: AbortSignal;
};

/** A model file to try, beside one of the other part that is known to be good. */
export type TrialOptions = {
  readonly part: SpeakerModelPart;
  readonly path: string;
  readonly beside: string;
  readonly signal?: AbortSignal | undefined;
};

/** Throws `model_invalid` where a model cannot be used, `cancelled`. */
export type TrySpeakerModel = (options: TrialOptions) => Promise<void>;

/**
 * Tells speakers apart. The pieces follow one another; times are seconds from the first one's start. Rejects
 * with `engine_crashed`, `cancelled`.
 */
export type Diarizer = (
  pieces: AsyncIterable<Pick<AudioPiece, 'pcm'>>,
  options: DiarizeOptions,
) => Promise<Diarization>;

/** Runs `work` with a process of its own, which is killed when the signal fires: the library cannot be interrupted. */
const inProcess = async <T>(
  fork: ForkWorker,
  signal: AbortSignal | undefined,
  work: (client: WorkerClient) => Promise<T>,
): Promise<T> => {
  if (signal) throwIfAborted(signal);
  const client = new WorkerClient(fork([DIARIZER_FLAG]));
  const kill = () => void client.stop(0);
  signal?.addEventListener('abort', kill, { once: true });
  try {
    return await work(client);
  } catch (error) {
    if (signal) throwIfAborted(signal);
    throw error;
  } finally {
    signal?.removeEventListener('abort', kill);
    await client.stop(1000);
  }
};

const NOTHING: Diarization = { turns: [], voices: [] };

/** Diarization in a process of its own for each recording. Only one piece at a time is held here. */
export const createDiarizer =
  (fork: ForkWorker): Diarizer =>
  (pieces, { models, speakers, signal }) =>
    inProcess(fork, signal, async (client) => {
      for await (const { pcm } of pieces) {
        await client.run({ kind: 'diarizePiece', models, pcm }).promise;
      }
      const result = await client.run({ kind: 'diarizeEnd', models, speakers }).promise;
      return result !== null && 'turns' in result ? result : NOTHING;
    });

/** Loads a model in a process of its own and lets it work; a crash of that process is the model's fault. */
export const createSpeakerModelTrial =
  (fork: ForkWorker): TrySpeakerModel =>
  async ({ part, path, beside, signal }) => {
    try {
      await inProcess(
        fork,
        signal,
        (client) => client.run({ kind: 'trySpeakerModel', part, path, beside }).promise,
      );
    } catch (error) {
      if (!isAppError(error) || error.code === 'cancelled') throw error;
      throw new AppError('model_invalid', `The ${part} model in this file does not work.`, {
        cause: error,
      });
    }
  };
