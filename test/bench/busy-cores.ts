import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** When the loops end by themselves, if nothing else ends them. */
const MOST_SECONDS = 1800;

const runs = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** Does some work beside `count` processes that are never idle, by default one for each core; it must take less than half an hour. */
export const onBusyCores = async <T>(work: () => Promise<T>, count = availableParallelism()): Promise<T> => {
  const loops: ChildProcess[] = Array.from({ length: count }, () =>
    spawn('bash', ['-c', `while ((SECONDS < ${MOST_SECONDS})); do :; done`], { stdio: 'ignore' }),
  );
  const endAll = (): void => {
    for (const loop of loops) loop.kill('SIGKILL');
  };
  process.once('exit', endAll);
  try {
    await Promise.all(loops.map((loop) => once(loop, 'spawn')));
    const result = await work();
    if (!loops.every(runs)) throw new Error('The cores were not busy all the time.');
    return result;
  } finally {
    const ended = loops.filter(runs).map((loop) => once(loop, 'exit'));
    endAll();
    await Promise.all(ended);
    process.off('exit', endAll);
  }
};
