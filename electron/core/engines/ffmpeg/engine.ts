import { bleep } from './bleep.ts';
import { Decoder } from './decode.ts';
import { probe, versionReader } from './probe.ts';
import type { FfmpegTools, MediaEngine } from './types.ts';

/** Makes the media engine over the programs that `findFfmpeg` found. */
export const createMediaEngine = (tools: FfmpegTools): MediaEngine => ({
  probe: (input, options) => probe(tools, input, options),
  decodePieces: (input, options = {}) => {
    const decoder = new Decoder(tools, input, options);
    return { pieces: decoder.pieces(), summary: () => decoder.summary() };
  },
  bleep: (options) => bleep(tools, options),
  version: versionReader(tools),
});
