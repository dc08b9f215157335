import type { UtilityProcess } from 'electron';
import type { Host } from '../core/config.ts';

type ForkWorker = Host['forkWorker'];
type Listen = Parameters<ReturnType<ForkWorker>['onMessage']>[0];

/** The part of Electron's `utilityProcess` that is needed here. */
export type ForkUtility = (
  entry: string,
  args: string[],
  options: { stdio: ['ignore', 'ignore', 'pipe']; serviceName: string; env: NodeJS.ProcessEnv },
) => Pick<UtilityProcess, 'pid' | 'postMessage' | 'on' | 'once' | 'kill' | 'stderr'>;

const LAST_WORDS = 2000;

/** What the engine needs of the environment: never the owner's key, nor options meant for another Node. */
const workerEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { EARSHOT_API_KEY: _key, NODE_OPTIONS: _options, ...rest } = environment;
  return rest;
};

/**
 * Starts engine workers over Electron's `utilityProcess`: with the RunAsNode fuse off, `child_process.fork` is not
 * to be had in a packaged app. A crash of the native code ends the worker, never the window.
 */
export const forkElectronWorker =
  (fork: ForkUtility, entry: string, environment: NodeJS.ProcessEnv): ForkWorker =>
  (args) => {
    const child = fork(entry, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      serviceName: 'Earshot engine',
      env: workerEnvironment(environment),
    });
    let tail = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString()).slice(-LAST_WORDS);
    });
    return {
      pid: child.pid,
      send: (message) => child.postMessage(message),
      onMessage: (listener: Listen) => {
        child.on('message', (message: Parameters<Listen>[0]) => listener(message));
      },
      onExit: (listener) => {
        child.once('exit', (code) => listener(`exit code ${code}`));
      },
      lastWords: () => tail.trim(),
      kill: () => {
        child.kill();
      },
    };
  };
