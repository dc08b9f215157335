import { z } from 'zod';
import { Pcm, type TaskDefinition } from '../worker/protocol.ts';
import { Diarization, DiarizationModels, SpeakerModelPart } from './types.ts';

/** The engine's name among the worker's arguments. */
export const DIARIZER_ENGINE = 'diarizer';

/** The chunks of one recording, in order: mono at 16 kHz. */
const DiarizeChunkInput = z.object({ models: DiarizationModels, pcm: Pcm });
const DiarizeEndInput = z.object({ models: DiarizationModels, speakers: z.int().nullable() });
const TrySpeakerModelInput = z.object({
  part: SpeakerModelPart,
  path: z.string(),
  /** A working model of the other part. */
  counterpart: z.string(),
});
export type TrySpeakerModelInput = z.output<typeof TrySpeakerModelInput>;

export const diarizeChunkTask: TaskDefinition<z.output<typeof DiarizeChunkInput>, null> = {
  kind: 'diarizeChunk',
  input: DiarizeChunkInput,
  result: z.null(),
};

export const diarizeEndTask: TaskDefinition<z.output<typeof DiarizeEndInput>, Diarization> = {
  kind: 'diarizeEnd',
  input: DiarizeEndInput,
  result: Diarization,
};

export const trySpeakerModelTask: TaskDefinition<TrySpeakerModelInput, null> = {
  kind: 'trySpeakerModel',
  input: TrySpeakerModelInput,
  result: z.null(),
};
