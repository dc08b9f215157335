import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app, safeStorage, type UtilityProcess, utilityProcess } from 'electron';
import { z } from 'zod';
import { type App, createApp } from '../core/app.ts';
import { collectTail, workerEnvironment } from '../core/base/child-process.ts';
import { systemClock } from '../core/base/clock.ts';
import { layoutOf } from '../core/base/layout.ts';
import { dataPaths } from '../core/base/paths.ts';
import type { Host } from '../core/config.ts';
import { isLibraryDamaged, serveDamagedPage } from '../core/damaged-page.ts';
import { desktopConfig } from './config.ts';
import { createSecretBox } from './secret-box.ts';
import { startWhenFree } from './taken-folder.ts';

/** The part of Electron's `utilityProcess` that this module uses. */
type ForkUtility = (
  entry: string,
  args: string[],
  options: { stdio: ['ignore', 'ignore', 'pipe']; serviceName: string; env: NodeJS.ProcessEnv },
) => Pick<UtilityProcess, 'pid' | 'postMessage' | 'on' | 'once' | 'kill' | 'stderr'>;

/**
 * Starts workers over Electron's `utilityProcess`, because a packaged app with the RunAsNode fuse off cannot use
 * `child_process.fork`. A crash of the native code ends the worker, never the window.
 */
const forkElectronWorker =
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

export const layout = layoutOf({
  form: 'bundled',
  program: app.getAppPath(),
  ...(app.isPackaged ? { files: process.resourcesPath } : {}),
});

const Package = z.object({
  updateFeed: z
    .url({ protocol: /^https?$/ })
    .optional()
    .catch(undefined),
});
/** What electron-builder has written into the application's package.json. */
const { updateFeed } = Package.parse(
  JSON.parse(readFileSync(join(app.getAppPath(), 'package.json'), 'utf8')),
);

const config = () =>
  desktopConfig({
    version: app.getVersion(),
    layout,
    environment: process.env,
    platform: process.platform,
    updateFeed,
  });

export const logFolder = (): string => dataPaths(config().dataDir).logs;

/** What the window shows: the whole service, or the page of a library that does not open. */
export type Service =
  | ({ readonly isDamaged: false } & App)
  | { readonly isDamaged: true; readonly url: string; close(): Promise<void> };

/** Starts the service, once no command has the data folder; resolves once it accepts requests. */
export const startService = async (): Promise<Service> => {
  try {
    const host = {
      forkWorker: forkElectronWorker(utilityProcess.fork, layout.worker, process.env),
      analysisThread: pathToFileURL(layout.analysisThread),
      databaseThread: pathToFileURL(layout.databaseThread),
      renderingThread: pathToFileURL(layout.renderingThread),
      secretBox: await createSecretBox(safeStorage, process.platform),
    };
    const service = await startWhenFree(
      () => createApp(config(), host),
      dataPaths(config().dataDir),
      systemClock,
    );
    return { isDamaged: false, ...service };
  } catch (error) {
    if (!isLibraryDamaged(error)) throw error;
    return { isDamaged: true, ...(await serveDamagedPage(config(), error)) };
  }
};

/** Where the window is loaded from: the service, or in `npm run dev` the dev server that forwards /v1 to it. */
export const windowOrigin = (service: Service): string => {
  const devServer = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  return new URL(devServer ?? service.url).origin;
};

/** A token that the window exchanges for a session; undefined for a library that does not open, which has none. */
export const loginToken = (service: Service): string | undefined =>
  service.isDamaged
    ? undefined
    : (new URLSearchParams(new URL(service.loginUrl()).hash.slice(1)).get('token') ?? undefined);
