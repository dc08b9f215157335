import { type ChildProcess, execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Address space that ffmpeg and ffprobe take at most, in bytes; each thread reserves a stack and an arena of the allocator. */
const MAX_ADDRESS_SPACE = 4 * 1024 ** 3 + availableParallelism() * 160 * 1024 ** 2;

/** Limits the memory of a process, against recordings made to take all of it. Without `prlimit` (util-linux), or too late, nothing happens. */
export const limitMemory = ({ pid }: ChildProcess): void => {
  if (process.platform !== 'linux' || pid === undefined) return;
  execFile('prlimit', ['--pid', String(pid), `--as=${MAX_ADDRESS_SPACE}`], () => {});
};
