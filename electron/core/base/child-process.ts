import { accessSync, constants } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** Whether this process may execute the file at a path. */
export const isExecutableSync = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // ENOENT or EACCES.
    return false;
  }
};

const TAIL_CHARACTERS = 2000;

/**
 * The environment of a process that runs native code on files of unknown origin: without the owner's API key, and
 * without what is meant for this process: Node's options, and glibc's threshold, with which the memory of each recognized
 * window would be given back. Under `node --watch`, a child would send the paths of its modules over the channel that
 * carries our protocol.
 */
export const workerEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const {
    EARSHOT_API_KEY: _key,
    MALLOC_MMAP_THRESHOLD_: _threshold,
    NODE_OPTIONS: _options,
    WATCH_REPORT_DEPENDENCIES: _watch,
    ...rest
  } = environment;
  return rest;
};

/** Collects the end of a stream; the returned function reads what has arrived so far. */
export const collectTail = (stream: NodeJS.ReadableStream | null): (() => string) => {
  const decoder = new StringDecoder('utf8');
  let tail = '';
  stream?.on('data', (data: Buffer) => {
    tail = (tail + decoder.write(data)).slice(-TAIL_CHARACTERS);
  });
  return () => tail.trim();
};
