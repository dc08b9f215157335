import { pathToFileURL } from 'node:url';
import type { App } from '../core/app.ts';
import type { AppConfig } from '../core/config.ts';
import { configOf, PROGRAM, type ServerOptions } from './environment.ts';

/**
 * Starts the service in this process. Imports the core here rather than at the top, so that commands that talk to a
 * running service start fast.
 */
export const startService = async (
  options: ServerOptions,
  more: Pick<AppConfig, 'temporary'> = {},
): Promise<App> => {
  const [{ createApp }, { nodeHost }] = await Promise.all([
    import('../core/app.ts'),
    import('../core/config.ts'),
  ]);
  return createApp(
    { ...configOf(options, 'fail'), ...more },
    {
      ...nodeHost(PROGRAM.worker),
      analysisThread: pathToFileURL(PROGRAM.analysisThread),
      databaseThread: pathToFileURL(PROGRAM.databaseThread),
      renderingThread: pathToFileURL(PROGRAM.renderingThread),
    },
  );
};
