import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../../../native/build.mjs';
import { SOURCES, type Source } from './recipe.ts';

/** The sources of ffmpeg, or the programs that build it, are not to be had on this machine. */
export class FfmpegUnavailable extends Error {}

/** The cache of archives and finished programs. */
export const home = (): string => join(cacheDir(), 'ffmpeg');

const isIntact = (file: string, { sha256 }: Source): boolean =>
  existsSync(file) && createHash('sha256').update(readFileSync(file)).digest('hex') === sha256;

const download = async (url: string): Promise<Uint8Array> => {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new FfmpegUnavailable(`${url} answered ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof FfmpegUnavailable) throw error;
    throw new FfmpegUnavailable(`${url} could not be downloaded.`, { cause: error });
  }
};

/** The archive of a source: that in EARSHOT_FFMPEG_SOURCES, or a download, which is kept. Throws if it is another file. */
const fetchArchive = async (source: Source): Promise<string> => {
  const { EARSHOT_FFMPEG_SOURCES: given } = process.env;
  const file = join(given || home(), source.archive);
  if (isIntact(file, source)) return file;
  if (given) throw new Error(`${file} is missing, or has another SHA-256 than expected.`);
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, await download(source.url));
  if (!isIntact(part, source)) {
    rmSync(part);
    throw new Error(`${source.url} has another SHA-256 than expected.`);
  }
  renameSync(part, file);
  return file;
};

/** The paths of all archives. The licenses ask whoever passes the programs on to offer the sources, too. */
export const fetchSources = async (): Promise<string[]> => {
  mkdirSync(home(), { recursive: true });
  const files: string[] = [];
  for (const source of SOURCES) files.push(await fetchArchive(source));
  return files;
};
