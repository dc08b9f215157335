import { join } from 'node:path';
import { defaultDataDir } from '../core/base/paths.ts';
import type { AppConfig } from '../core/config.ts';

type Program = {
  readonly version: string;
  /** The folder with `out` and `resources`. */
  readonly folder: string;
  /** Where files lie that cannot be inside the app's archive. */
  readonly unpacked: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
};

/** The desktop program's configuration: on this machine alone, on the usual port or the next free one. */
export const desktopConfig = ({ version, folder, unpacked, environment, platform }: Program): AppConfig => ({
  version,
  dataDir: defaultDataDir(environment, platform),
  host: '127.0.0.1',
  port: 3277,
  whenTaken: 'next',
  apiKey: environment.EARSHOT_API_KEY || undefined,
  overrides: {},
  // Somebody sits in front of it and sees the download; a server fetches nothing that nobody asked it to.
  defaults: { 'models.autoInstall': true },
  demo: environment.EARSHOT_DEMO === '1',
  addonPath: environment.EARSHOT_ADDON ?? join(unpacked, 'native', 'earshot_engine.node'),
  resourcesDir: join(unpacked, 'resources'),
  rendererDir: join(folder, 'out', 'renderer'),
  environment,
});
