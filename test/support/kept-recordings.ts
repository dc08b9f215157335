import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../electron/cli/bootstrap/places.mjs';
import { AUDIO_FIXTURES, ROOT } from './paths.ts';

/** Beside the packages, so that they go together. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'earshot', 'recordings');

const hashes = new Map<string, string>();

/** Of a fixture's content; undefined for another file. */
export const hashOfFixture = (path: string): string | undefined => {
  if (!path.startsWith(AUDIO_FIXTURES)) return undefined;
  const hash = hashes.get(path) ?? createHash('sha256').update(readFileSync(path)).digest('hex');
  hashes.set(path, hash);
  return hash;
};

/** Another one after each change of the installed ffmpeg, which comes with its libraries. */
const identityOfFfmpeg = (): string => {
  const program = onPath('ffmpeg');
  if (program === undefined) return '';
  const { size, mtimeMs } = statSync(program);
  return `${program} ${size} ${mtimeMs}`;
};

/**
 * A folder with what ffmpeg makes of fixtures, kept for later runs: its start alone takes 0.1 s of processor time. `recipe` is
 * all that decides the content. `make` fills the folder, whose path it gets, if it is not there yet.
 */
export const keptRecordings = (recipe: readonly string[], make: (folder: string) => void): string => {
  const key = createHash('sha256')
    .update(JSON.stringify([identityOfFfmpeg(), ...recipe]))
    .digest('hex');
  const folder = join(FOLDER, key);
  if (existsSync(folder)) return folder;
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = mkdtempSync(join(FOLDER, '.unfinished-'));
  try {
    make(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
};
