import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { isExecutableSync } from '../../base/child-process.ts';

/** Address space that ffmpeg and ffprobe take at most, in bytes; each thread reserves a stack and an arena of the allocator. */
const MAX_ADDRESS_SPACE = 4 * 1024 ** 3 + availableParallelism() * 160 * 1024 ** 2;

/** Part of util-linux; null if there is none. Looked for once. */
let prlimit: string | null | undefined;
const findPrlimit = (): string | null => {
  if (process.platform !== 'linux') return null;
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, 'prlimit')).find(isExecutableSync) ?? null;
};

/** What to start, and its arguments. */
export type Command = { readonly file: string; readonly args: readonly string[] };

/**
 * Limits the memory of a program, against recordings made to take all of it: `prlimit` sets the limit and becomes the
 * program, in the same process. Another process, started beside it, would come too late, and forking this one holds up its
 * event loop. Without `prlimit`, and for a program that is not there, the command stays as it is.
 */
export const withLimitedMemory = ({ file, args }: Command): Command => {
  prlimit ??= findPrlimit();
  if (prlimit === null || !isExecutableSync(file)) return { file, args };
  return { file: prlimit, args: [`--as=${MAX_ADDRESS_SPACE}`, file, ...args] };
};
