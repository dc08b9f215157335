import { layoutConfig, type ProgramLayout } from '../core/base/layout.ts';
import { defaultDataDir } from '../core/base/paths.ts';
import { runKeyOf } from '../core/base/url-login.ts';
import type { AppConfig } from '../core/config.ts';

type Program = {
  readonly version: string;
  readonly layout: ProgramLayout;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** The default of `updates.feed`, which the package was made with. */
  readonly updateFeed?: string | undefined;
};

/** The desktop program's configuration: bound to this machine, on the default port or the next free one. */
export const desktopConfig = ({
  version,
  layout,
  environment,
  platform,
  updateFeed = '',
}: Program): AppConfig => ({
  version,
  dataDir: defaultDataDir(environment, platform),
  host: '127.0.0.1',
  port: 3277,
  whenTaken: 'next',
  apiKey: runKeyOf(environment),
  overrides: {},
  // The user sees the download in the window. A server does not download models by itself.
  defaults: { 'models.autoInstall': true, 'updates.feed': updateFeed },
  ...layoutConfig(layout, environment),
  environment,
});
