import { bleep } from './bleep.ts';
import { Decoder } from './decode.ts';
import { probe, versionReader } from './probe.ts';
import type { FfmpegTools, MediaEngine } from './types.ts';

/** Creates the media engine from the programs that `findFfmpeg` found. */
export const createMediaEngine = (tools: FfmpegTools): MediaEngine => ({
  probe: (input, options) => probe(tools, input, options),
  decodeChunks: (input, options = {}) => new Decoder(tools, input, options),
  bleep: (options) => bleep(tools, options),
  version: versionReader(tools),
});
