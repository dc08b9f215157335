import { dirname, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { isSettingKey, SETTINGS, type Settings } from '../contract/settings.ts';
import { messageOf } from '../core/base/errors.ts';
import { layoutConfig, ownLayout } from '../core/base/layout.ts';
import { defaultDataDir } from '../core/base/paths.ts';
import { runKeyOf } from '../core/base/url-login.ts';
import type { AppConfig } from '../core/config.ts';

/** Where the parts of this program lie. */
export const PROGRAM = ownLayout();

export const VERSION: string = manifest.version;

/** Wrong usage: prints one line without a stack, exit code 2. */
export class UsageError extends Error {}

const choices = new Intl.ListFormat('en', { type: 'disjunction' });

/** Parses one of some words. */
export const oneOf =
  <T extends string>(option: string, known: readonly T[]) =>
  (text: string): T => {
    const choice = known.find((each) => each === text);
    if (choice === undefined) throw new UsageError(`${option} ${text}: choose ${choices.format(known)}.`);
    return choice;
  };

export type ServerOptions = {
  dataDir?: string;
  port?: number;
  host?: string;
  allowPrivateAddresses?: boolean;
  modelAlias?: string[];
};

export const dataDirOf = (options: { dataDir?: string }): string =>
  options.dataDir === undefined ? defaultDataDir(process.env, process.platform) : resolve(options.dataDir);

/** Converts `mini=small-q8_0` to the setting `models.aliases.mini`. */
const aliasOverrides = (aliases: readonly string[]): Partial<Settings> =>
  Object.fromEntries(
    aliases.map((text) => {
      const [name, id] = text.split('=');
      const key = `models.aliases.${name}`;
      if (!isSettingKey(key) || id === undefined || id === '') {
        throw new UsageError(`--model-alias ${text}: write it as nano=ID, mini=ID or pro=ID.`);
      }
      return [key, SETTINGS[key].schema.parse(id)];
    }),
  );

const runKey = (): string | undefined => {
  try {
    return runKeyOf(process.env);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
};

/** The settings that the options of a run change. */
export const overridesOf = (options: ServerOptions): Partial<Settings> => ({
  ...aliasOverrides(options.modelAlias ?? []),
  ...(options.allowPrivateAddresses === true ? { 'network.allowPrivateAddresses': true } : {}),
});

const quoted = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The command that opens the window of a data folder; a clone's is npm's. */
export const openCommandOf = (
  { dataDir }: Pick<ServerOptions, 'dataDir'>,
  { npm_package_json: manifestOfRun }: NodeJS.ProcessEnv,
): string =>
  [
    ...(manifestOfRun === undefined
      ? ['earshot', 'open']
      : ['npm', '--prefix', quoted(dirname(manifestOfRun)), 'run', '-s', 'earshot', '--', 'open']),
    ...(dataDir === undefined ? [] : ['--data-dir', quoted(dataDirOf({ dataDir }))]),
  ].join(' ');

/** The service's configuration from command-line options and environment. */
export const configOf = (options: ServerOptions, whenTaken: AppConfig['whenTaken']): AppConfig => ({
  version: VERSION,
  dataDir: dataDirOf(options),
  openCommand: openCommandOf(options, process.env),
  host: options.host ?? '127.0.0.1',
  port: options.port ?? 3277,
  whenTaken,
  apiKey: runKey(),
  overrides: overridesOf(options),
  ...layoutConfig(PROGRAM, process.env),
  environment: process.env,
});
