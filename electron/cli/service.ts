import { pathToFileURL } from 'node:url';
import type { App } from '../core/app.ts';
import { FolderTakenError } from '../core/base/errors.ts';
import type { AppConfig } from '../core/config.ts';
import { configOf, PROGRAM, type ServerOptions } from './environment.ts';

type Start = Pick<AppConfig, 'temporary'> & {
  /** Whether the caller tries again if another process has the data folder. */
  readonly mayWait: boolean;
};

/** Imports the core here rather than at the top, so that commands that talk to a running service start fast. */
const start = async (config: AppConfig): Promise<App> => {
  const [{ createApp }, { nodeHost }] = await Promise.all([
    import('../core/app.ts'),
    import('../core/config.ts'),
  ]);
  return createApp(config, {
    ...nodeHost(PROGRAM.worker),
    analysisThread: pathToFileURL(PROGRAM.analysisThread),
    databaseThread: pathToFileURL(PROGRAM.databaseThread),
    renderingThread: pathToFileURL(PROGRAM.renderingThread),
  });
};

/** Starts the service in this process; undefined if another process has the data folder, if `mayWait`. */
export const startService = async (
  options: ServerOptions,
  { mayWait, temporary }: Start,
): Promise<App | undefined> => {
  try {
    return await start({ ...configOf(options, 'fail'), temporary });
  } catch (error) {
    if (mayWait && error instanceof FolderTakenError) return undefined;
    throw error;
  }
};
