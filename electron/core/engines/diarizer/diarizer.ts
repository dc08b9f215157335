import { join } from 'node:path';
import type { AudioPiece } from '../ffmpeg/types.ts';
import { throwIfAborted } from '../net/network-errors.ts';
import { WorkerClient } from '../whisper/worker-client.ts';
import type { ForkWorker } from '../whisper/worker-process.ts';
import { DIARIZER_FLAG, type DiarizationModels, type SpeakerTurn } from './types.ts';

export type DiarizeOptions = {
  /** How many people speak, where it is known. */
  readonly speakers: number | null;
  readonly signal: AbortSignal;
};

/**
 * Tells speakers apart. The pieces follow one another; times are seconds from the first one's start. Rejects
 * with `engine_crashed`, `cancelled`.
 */
export type Diarizer = (
  pieces: AsyncIterable<Pick<AudioPiece, 'pcm'>>,
  options: DiarizeOptions,
) => Promise<SpeakerTurn[]>;

/**
 * Diarization in a process of its own for each recording, which is killed when it is not wanted any more: the
 * library cannot be interrupted. Only one piece at a time is held here.
 */
export const createDiarizer =
  (fork: ForkWorker, models: DiarizationModels): Diarizer =>
  async (pieces, { speakers, signal }) => {
    throwIfAborted(signal);
    const client = new WorkerClient(fork([DIARIZER_FLAG]));
    const kill = () => void client.stop(0);
    signal.addEventListener('abort', kill, { once: true });
    try {
      for await (const { pcm } of pieces) {
        await client.run({ kind: 'diarizePiece', models, speakers, pcm }).promise;
      }
      const turns = await client.run({ kind: 'diarizeEnd', models, speakers }).promise;
      return Array.isArray(turns) ? turns.flatMap((turn) => ('speaker' in turn ? [turn] : [])) : [];
    } catch (error) {
      throwIfAborted(signal);
      throw error;
    } finally {
      signal.removeEventListener('abort', kill);
      await client.stop(1000);
    }
  };

/** The models that come with the program: see SPEAKERS-MODEL-CARD.md beside them. */
export const starterDiarization = (resourcesDir: string): DiarizationModels => ({
  segmentation: join(resourcesDir, 'models', 'starter-segmentation.onnx'),
  embedding: join(resourcesDir, 'models', 'starter-speaker-embedding.onnx'),
});
