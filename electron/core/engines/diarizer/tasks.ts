import { z } from 'zod';
import type { TaskDefinition } from '../worker/protocol.ts';

/** A stretch of one speaker's speech; seconds. Speakers are numbered from 0, in no particular order. */
export const SpeakerTurn = z.object({ start: z.number(), end: z.number(), speaker: z.number() }).readonly();
export type SpeakerTurn = z.output<typeof SpeakerTurn>;

/** The mean embedding of a speaker's turns, of length 1. */
const SpeakerEmbedding = z
  .object({
    speaker: z.number(),
    embedding: z.custom<Float32Array>((value) => value instanceof Float32Array),
  })
  .readonly();

/** Who speaks when. A speaker without a turn that is long enough to embed has no embedding. */
export const Diarization = z
  .object({ turns: z.array(SpeakerTurn), embeddings: z.array(SpeakerEmbedding) })
  .readonly();
export type Diarization = z.output<typeof Diarization>;

/** What the embeddings of one speaker have in common, by the embedding model. */
export type SpeakerThresholds = {
  /** Voices within a cosine distance of this (0 to 2) are one speaker's, within half an hour. */
  readonly clusteringThreshold: number;
  /** Two mean embeddings of one recording with at least this cosine similarity are one speaker. */
  readonly sameSpeakerCosine: number;
};

/** The ONNX models of diarization: paths of files. */
export type DiarizationModels = SpeakerThresholds & {
  readonly segmentation: string;
  readonly embedding: string;
};

/** What a model of diarization is for: finding turns, or comparing speakers. */
export type SpeakerModelPart = 'segmentation' | 'embedding';

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
