import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the real ffmpeg: `ffmpeg -y <args>`. */
export const ffmpeg = async (...args: string[]): Promise<void> => {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
};

/** Ids of processes with `text` in their command line (Linux only). */
export const processesWith = async (text: string): Promise<number[]> => {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return (await readFile(`/proc/${id}/cmdline`, 'utf8')).includes(text) ? [Number(id)] : [];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    }),
  );
  return found.flat();
};
