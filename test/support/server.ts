import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { codeCacheDir, MALLOC_ENVIRONMENT, NODE_OPTIONS } from '../../electron/cli/bootstrap/places.mjs';
import { type Client, createClient } from '../../electron/contract/client.ts';
import { MODEL_ALIASES } from '../../electron/contract/names.ts';
import type { Settings } from '../../electron/contract/settings.ts';
import type { Services } from '../../electron/core/create-services.ts';
import { buildAddon } from '../../native/build.mjs';
import { CLI_ENTRY, RESOURCES, STARTER_MODEL, STARTER_PARAKEET, WORKER_ENTRY } from './paths.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type TestServerOptions = {
  /** Further arguments of `earshot serve`; default: {@link SYNTHETIC} and `--allow-private-addresses`. */
  readonly args?: readonly string[];
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sets {@link QUICK}, for tests to which the words do not matter. */
  readonly quick?: boolean;
  /** What nano, mini and pro mean. `starter-parakeet` takes a fraction of the time of `starter`, and is English-only. */
  readonly model?: 'starter' | 'starter-parakeet';
};

export type TestServer = {
  readonly url: string;
  /** Opens the window signed in; works once. */
  readonly loginUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  /** The owner's key. */
  readonly key: string;
  readonly client: Client;
  /** A client with another key, or none. */
  as(key: string | undefined): Client;
  /** `fetch` with the owner's key unless `init` has an authorization header. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  /** The log so far. */
  log(): Promise<string>;
};

/** Settings for the fastest recognition. */
export const QUICK = {
  'engine.beamSize': 1,
} as const;

/** Arguments with which the small recognizer of synthetic voices answers to nano, mini and pro. */
export const SYNTHETIC: readonly string[] = MODEL_ALIASES.flatMap((alias) => [
  '--model-alias',
  `${alias}=starter`,
]);

const OWNER_KEY = 'test-owner-key-of-some-length';
const DEFAULT_ARGS = [...SYNTHETIC, '--allow-private-addresses'];

const argsFor = ({ args = DEFAULT_ARGS, model }: TestServerOptions): readonly string[] =>
  model === undefined
    ? args
    : [...args, ...MODEL_ALIASES.flatMap((alias) => ['--model-alias', `${alias}=${model}`])];

const exited = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((done) => child.once('exit', (code) => done(code)));

const firstLine = async (child: ChildProcess): Promise<string> => {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The server has no output to read.');
  let errors = '';
  stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const lines = createInterface({ input: stdout });
  for await (const line of lines) return line;
  throw new Error(`The server exited before it was ready: ${errors}`);
};

/** What delays the requests of pages, with EARSHOT_TEST_LATENCY alone. */
const LATENCY: Readonly<Record<string, string>> =
  process.env.EARSHOT_TEST_LATENCY === undefined
    ? {}
    : { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'late-requests.mjs')}` };

/** Installs the small recognizers of synthetic voices in a data folder, as `starter` and `starter-parakeet`. */
export const installSynthetic = (dataDir: string): void => {
  const folder = join(dataDir, 'models');
  mkdirSync(folder, { recursive: true });
  for (const path of [STARTER_MODEL, STARTER_PARAKEET]) {
    const link = join(folder, basename(path));
    if (!existsSync(link)) symlinkSync(path, link);
  }
};

/**
 * Spawns the command line, without the set-up that `npm run` does first. Arguments that name a recognizer of synthetic voices
 * find it installed.
 */
export const spawnEarshot = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> => {
  const dataDir = args[args.indexOf('--data-dir') + 1] ?? '';
  const folder = args.includes('--data-dir') ? dataDir : env.EARSHOT_DATA_DIR;
  if (folder !== undefined && args.some((arg) => arg.includes('starter'))) installSynthetic(folder);
  return spawn(process.execPath, [...NODE_OPTIONS, CLI_ENTRY, ...args], {
    env: {
      ...MALLOC_ENVIRONMENT,
      ...process.env,
      EARSHOT_ADDON: process.env.EARSHOT_ADDON ?? (await buildAddon({})),
      NODE_COMPILE_CACHE: codeCacheDir(),
      NO_COLOR: '1',
      ...LATENCY,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

/** Spawns a server without waiting until it is ready. */
export const spawnServer = (
  dataDir: string,
  options: Omit<TestServerOptions, 'dataDir'> = {},
): Promise<ChildProcess> =>
  spawnEarshot(['serve', '--json', '--port', '0', '--data-dir', dataDir, ...argsFor(options)], {
    EARSHOT_API_KEY: OWNER_KEY,
    ...options.env,
  });

/** Starts a server in its own process, on a free port and, unless given, a new data folder. */
export const startServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const dataDir = options.dataDir ?? temporaryFolder();
  const child = await spawnServer(dataDir, options);
  const {
    url,
    login_url: loginUrl,
    pid,
  }: { url: string; login_url: string; pid: number } = JSON.parse(await firstLine(child));
  const as = (key: string | undefined) =>
    createClient({ baseUrl: url, ...(key === undefined ? {} : { key }) });
  const client = as(OWNER_KEY);
  if (options.quick === true) await client.call('patchSettings', { body: QUICK });
  return {
    url,
    loginUrl,
    pid,
    dataDir,
    key: OWNER_KEY,
    client,
    as,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${OWNER_KEY}`);
      return fetch(url + path, { ...init, headers });
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited(child);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited(child);
    },
    log: () => readFile(join(dataDir, 'logs', 'earshot.log'), 'utf8'),
  };
};

/** Stops a server and removes its data folder. */
export const discard = async (server: TestServer): Promise<void> => {
  await server.stop();
  await rm(server.dataDir, { recursive: true, force: true });
};

export type InProcessOptions = {
  readonly dataDir?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Settings for this run. */
  readonly settings?: Partial<Settings>;
  /** Added to an environment with nothing but the PATH. */
  readonly environment?: NodeJS.ProcessEnv;
};

/** A server in this process, with everything below HTTP at hand. */
export type InProcessServer = Services & {
  readonly url: string;
  /** The owner's key. */
  readonly key: string;
  close(): Promise<void>;
};

/** No limits, and no ClamAV, unless a test asks for them. */
const UNLIMITED: Partial<Settings> = {
  'limits.uploadsPer15Minutes': 0,
  'limits.deletionsPer15Minutes': 0,
  'limits.requestsPerMinute': 0,
};
const WITHOUT_CLAMAV = { EARSHOT_CLAMD_CONF: '', EARSHOT_CLAMSCAN: '' };

/**
 * Starts a server in this process, for tests that look below HTTP. It starts faster than one in a process of its own, and
 * does not transcribe: it has no engine.
 */
export const startInProcess = async ({
  dataDir = temporaryFolder(),
  port = 0,
  settings = {},
  environment = {},
}: InProcessOptions = {}): Promise<InProcessServer> => {
  // Imported here because it takes a second, which tests that spawn their servers need not spend.
  const { createApp } = await import('../../electron/core/app.ts');
  const { nodeHost } = await import('../../electron/core/config.ts');
  const app = await createApp(
    {
      version: '0.0.0',
      dataDir,
      host: '127.0.0.1',
      port,
      whenTaken: 'fail',
      apiKey: OWNER_KEY,
      overrides: { ...UNLIMITED, ...settings },
      addonPath: join(dataDir, 'no-addon.node'),
      resourcesDir: RESOURCES,
      rendererDir: join(dataDir, 'no-window'),
      environment: { PATH: process.env.PATH, ...WITHOUT_CLAMAV, ...environment },
    },
    nodeHost(WORKER_ENTRY),
  );
  return { ...app.services, url: app.url, key: OWNER_KEY, close: app.close };
};
