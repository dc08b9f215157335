import { AppError } from '../../base/errors.ts';
import { findProgram, isExecutable } from '../programs.ts';
import type { FfmpegTools } from './types.ts';

type ToolLookup = {
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** The package's own folder of programs. */
  readonly folder?: string | undefined;
};

const findTool = async (
  name: 'ffmpeg' | 'ffprobe',
  named: string | undefined,
  lookup: ToolLookup,
): Promise<string> => {
  const variable = `${name.toUpperCase()}_PATH`;
  if (named) {
    if (await isExecutable(named)) return named;
    throw new AppError('engine_unavailable', `${variable} does not name a program that can be run.`);
  }
  const found = await findProgram(name, lookup, lookup.folder === undefined ? [] : [lookup.folder]);
  if (found !== undefined) return found;
  throw new AppError(
    'engine_unavailable',
    `${name} was not found. Install ffmpeg (Debian: apt-get install ffmpeg; macOS: brew install ffmpeg; Windows: winget install ffmpeg) or set ${variable}.`,
  );
};

/**
 * Finds ffmpeg and ffprobe: FFMPEG_PATH and FFPROBE_PATH, else the package's own, else the PATH.
 * Throws AppError `engine_unavailable` with what to install.
 */
export const findFfmpeg = async (lookup: ToolLookup): Promise<FfmpegTools> => ({
  ffmpeg: await findTool('ffmpeg', lookup.environment.FFMPEG_PATH, lookup),
  ffprobe: await findTool('ffprobe', lookup.environment.FFPROBE_PATH, lookup),
});
