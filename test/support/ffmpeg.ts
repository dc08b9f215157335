import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes media for tests with the real ffmpeg: `ffmpeg -y <args>`. */
export const ffmpeg = async (...args: string[]): Promise<void> => {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
};

/** Ids of processes that have a text in their command line. Linux. */
export const processesWith = async (text: string): Promise<number[]> => {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return (await readFile(`/proc/${id}/cmdline`, 'utf8')).includes(text) ? [Number(id)] : [];
      } catch {
        // The process ended while it was looked at.
        return [];
      }
    }),
  );
  return found.flat();
};
