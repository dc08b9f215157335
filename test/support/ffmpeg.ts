import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the real ffmpeg: `ffmpeg -y <args>`. */
export const ffmpeg = async (...args: string[]): Promise<void> => {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
};
