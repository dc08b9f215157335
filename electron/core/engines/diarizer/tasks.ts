import { z } from 'zod';
import type { TaskDefinition } from '../worker/protocol.ts';
import { Diarization, type DiarizationModels, type SpeakerModelPart } from './types.ts';

/** The chunks of one recording, in order: mono at 16 kHz. */
type DiarizeChunkInput = { readonly models: DiarizationModels; readonly pcm: Float32Array };
type DiarizeEndInput = { readonly models: DiarizationModels; readonly speakers: number | null };
export type TrySpeakerModelInput = {
  readonly part: SpeakerModelPart;
  readonly path: string;
  /** A working model of the other part. */
  readonly counterpart: string;
};

export const diarizeChunkTask: TaskDefinition<'diarizeChunk', DiarizeChunkInput, null> = {
  kind: 'diarizeChunk',
  result: z.null(),
};

export const diarizeEndTask: TaskDefinition<'diarizeEnd', DiarizeEndInput, Diarization> = {
  kind: 'diarizeEnd',
  result: Diarization,
};

export const trySpeakerModelTask: TaskDefinition<'trySpeakerModel', TrySpeakerModelInput, null> = {
  kind: 'trySpeakerModel',
  result: z.null(),
};
