import { concatSamples } from '../../electron/core/base/audio.ts';
import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';

const media = findFfmpeg({
  environment: process.env,
  platform: process.platform,
}).then(createMediaEngine);

/** A whole recording as mono at 16 kHz. */
export const decode = async (path: string): Promise<Float32Array> => {
  const { signal } = new AbortController();
  const { chunks } = (await media).decodeChunks({ kind: 'file', path }, { signal });
  const parts: Float32Array[] = [];
  for await (const { pcm } of chunks) parts.push(pcm);
  return concatSamples(parts);
};
