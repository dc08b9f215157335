import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { FfmpegTools } from './types.ts';

type ToolLookup = {
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** The packaged app's own folder of programs. */
  readonly resourcesPath?: string;
};

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not a program: the next place is tried.
    return false;
  }
};

const findTool = async (
  name: 'ffmpeg' | 'ffprobe',
  named: string | undefined,
  lookup: ToolLookup,
): Promise<string> => {
  const file = lookup.platform === 'win32' ? `${name}.exe` : name;
  const variable = `${name.toUpperCase()}_PATH`;
  if (named) {
    if (await isExecutable(named)) return named;
    throw new AppError('engine_unavailable', `${variable} does not name a program that can be run.`);
  }
  const folders = [
    ...(lookup.resourcesPath === undefined
      ? []
      : [join(lookup.resourcesPath, 'ffmpeg'), lookup.resourcesPath]),
    ...(lookup.environment.PATH ?? '').split(delimiter).filter(Boolean),
  ];
  for (const folder of folders) {
    const path = join(folder, file);
    if (await isExecutable(path)) return path;
  }
  throw new AppError(
    'engine_unavailable',
    `${name} was not found. Install ffmpeg (Debian: apt-get install ffmpeg; macOS: brew install ffmpeg; Windows: winget install ffmpeg) or set ${variable}.`,
  );
};

/**
 * Finds ffmpeg and ffprobe: FFMPEG_PATH and FFPROBE_PATH, else the packaged app's resources, else the PATH.
 * Throws AppError `engine_unavailable` with what to install.
 */
export const findFfmpeg = async (lookup: ToolLookup): Promise<FfmpegTools> => ({
  ffmpeg: await findTool('ffmpeg', lookup.environment.FFMPEG_PATH, lookup),
  ffprobe: await findTool('ffprobe', lookup.environment.FFPROBE_PATH, lookup),
});
