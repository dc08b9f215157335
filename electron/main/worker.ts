import type { UtilityProcess } from 'electron';
import { collectTail, workerEnvironment } from '../core/base/child-process.ts';
import type { Host } from '../core/config.ts';

/** The part of Electron's `utilityProcess` that this module uses. */
export type ForkUtility = (
  entry: string,
  args: string[],
  options: { stdio: ['ignore', 'ignore', 'pipe']; serviceName: string; env: NodeJS.ProcessEnv },
) => Pick<UtilityProcess, 'pid' | 'postMessage' | 'on' | 'once' | 'kill' | 'stderr'>;

/**
 * Starts workers over Electron's `utilityProcess`, because a packaged app with the RunAsNode fuse off cannot use
 * `child_process.fork`. A crash of the native code ends the worker, never the window.
 */
export const forkElectronWorker =
  (fork: ForkUtility, entry: string, environment: NodeJS.ProcessEnv): Host['forkWorker'] =>
  (args) => {
    const child = fork(entry, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      serviceName: 'Earshot engine',
      env: workerEnvironment(environment),
    });
    return {
      pid: child.pid,
      send: (message) => child.postMessage(message),
      onMessage: (listener) => {
        child.on('message', listener);
      },
      onExit: (listener) => {
        child.once('exit', (code) => listener(`exit code ${code}`));
      },
      stderrTail: collectTail(child.stderr),
      kill: () => {
        child.kill();
      },
    };
  };
