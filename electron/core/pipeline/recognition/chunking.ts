import type { ChunkOptions } from '../../engines/ffmpeg/types.ts';
import type { PipelineModel } from '../deps.ts';

/** Chunks that all of these models recognize well: the passes over a recording have to cut it alike to be compared. */
export const chunkingFor = (...models: readonly Pick<PipelineModel, 'capabilities'>[]): ChunkOptions => ({
  windowSeconds: Math.min(...models.map(({ capabilities }) => capabilities.maxChunkSeconds)),
});
