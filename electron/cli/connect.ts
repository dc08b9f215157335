import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ApiError, type Client, createClient } from '../contract/client.ts';
import type { App } from '../core/app.ts';
import { FolderTakenError } from '../core/base/errors.ts';
import { dataPaths } from '../core/base/paths.ts';
import { readServerFile, TAKEN_RETRY_MS, TAKEN_TIMEOUT_MS } from '../core/base/server-file.ts';
import type { AppConfig } from '../core/config.ts';
import { configOf, dataDirOf, overridesOf, PROGRAM, type ServerOptions, UsageError } from './environment.ts';
import { printMessage, style } from './terminal.ts';

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

const TOO_MANY_REQUESTS = 429;
const DEFAULT_WAIT_SECONDS = 5;

/** `fetch` that sends a request again after the time of `Retry-After` if the service has had too many of them. */
export const patientFetch: typeof fetch = async (input, init) => {
  for (let isNoted = false; ; isNoted = true) {
    const response = await fetch(input, init);
    if (response.status !== TOO_MANY_REQUESTS) return response;
    await response.body?.cancel();
    const seconds = Number(response.headers.get('retry-after')) || DEFAULT_WAIT_SECONDS;
    if (!isNoted) {
      printMessage(style('dim', `The service has had many requests. Going on in ${Math.ceil(seconds)} s.`));
    }
    await delay(1000 * seconds, undefined, { signal: init?.signal ?? undefined });
  }
};

export type Connection = {
  readonly client: Client;
  readonly url: string;
  readonly key: string;
  /** Whether this command started the service for itself. */
  readonly isOwn: boolean;
  close(): Promise<void>;
};

/** A service that runs on a data folder. */
export type RunningServer = {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  /** Whether it ends with the command that started it. */
  readonly temporary: boolean;
  readonly key: string;
  readonly client: Client;
};

/** Whether the service ended in the middle of a request: an error of `fetch`. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message);

const ANSWER_TIMEOUT_MS = 5000;
/** Before a command says what it waits for. */
export const NOTE_AFTER_MS = 500;

/** Undefined if no service runs on this data folder, or none that answers. */
export const findRunningServer = async (dataDir: string): Promise<RunningServer | undefined> => {
  const paths = dataPaths(dataDir);
  const server = readServerFile(paths);
  if (server === undefined || !existsSync(paths.localKeyFile)) return undefined;
  const { url, pid, version, temporary } = server;
  const key = readFileSync(paths.localKeyFile, 'utf8').trim();
  const client = createClient({ baseUrl: url, key, fetch: patientFetch });
  try {
    await client.call('health', { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return { url, pid, version, temporary, key, client };
  } catch {
    // The file of a process that was killed.
    return undefined;
  }
};

/**
 * Holds a service, which may be that of a command: it ends only when no event stream of the local key is open any more.
 * Returns what lets it go; undefined if it is ending already.
 */
const hold = async (client: Client): Promise<(() => void) | undefined> => {
  const controller = new AbortController();
  try {
    const { body } = await client.send('events', { signal: controller.signal });
    // Read, because a client that does not is disconnected. Should the service end all the same, the command's own requests fail.
    body?.pipeTo(new WritableStream(), { signal: controller.signal }).catch(() => {});
    return () => controller.abort();
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'shutting_down') throw error;
    return undefined;
  }
};

/** Waits for the commands that use this one's service. Ctrl-C ends the wait. */
const awaitOthers = async (app: App): Promise<void> => {
  let end: () => void = () => {};
  const interrupted = new Promise<void>((done) => {
    end = done;
  });
  process.once('SIGINT', end);
  const note = setTimeout(() => {
    printMessage(style('dim', 'Another command uses the service of this one, which ends after it.'));
  }, NOTE_AFTER_MS);
  await Promise.race([app.unused(), interrupted]);
  clearTimeout(note);
  process.off('SIGINT', end);
};

/** Starts a service for this command; undefined if another process uses the folder, if `mayWait`. */
const startOwn = async (options: ServerOptions, mayWait: boolean): Promise<Connection | undefined> => {
  const own = { ...options, port: 0, host: '127.0.0.1' };
  const app = await startService(own, { temporary: true, mayWait });
  if (app === undefined) return undefined;
  const client = createClient({ baseUrl: app.url, key: app.localKey, fetch: patientFetch });
  const close = async () => {
    await awaitOthers(app);
    await app.close();
  };
  return { client, url: app.url, key: app.localKey, isOwn: true, close };
};

/**
 * Connects to the service that runs on this data folder, or starts one for this command. Throws `conflict` if
 * another program uses the folder and does not answer. `holds`: whether the service, if it is that of another command,
 * goes on until the connection is closed.
 */
export const connect = async (options: ServerOptions, { holds = true } = {}): Promise<Connection> => {
  const until = performance.now() + TAKEN_TIMEOUT_MS;
  for (;;) {
    const running = await findRunningServer(dataDirOf(options));
    if (running !== undefined) {
      await checkEffect(running, options);
      const release = holds ? await hold(running.client) : () => {};
      if (release !== undefined) return { ...running, isOwn: false, close: async () => release() };
    }
    const own = await startOwn(options, performance.now() < until);
    if (own !== undefined) return own;
    // Another one is starting or ending.
    await delay(TAKEN_RETRY_MS);
  }
};

/** Throws if the options of a run are not those of the service that runs already, and so would have no effect. */
export const checkEffect = async ({ client }: RunningServer, options: ServerOptions): Promise<void> => {
  const asked = Object.entries(overridesOf(options));
  if (asked.length === 0) return;
  const { data } = await client.call('getSettings');
  for (const [key, value] of asked) {
    if (data.find((setting) => setting.key === key)?.value === value) continue;
    throw new UsageError(
      `The service that runs on this data folder has another ${key}, which no option of this command changes. Stop it first, or use \`earshot settings set ${key} ${String(value)}\`.`,
    );
  }
};

/** Runs `work` with a connection and closes it afterwards. */
export const withConnection = async (
  options: ServerOptions,
  work: (connection: Connection) => Promise<void>,
): Promise<void> => {
  const connection = await connect(options);
  try {
    await work(connection);
  } finally {
    await connection.close();
  }
};
