import { existsSync, readFileSync } from 'node:fs';
import { type Client, createClient } from '../contract/client.ts';
import { dataPaths } from '../core/base/paths.ts';
import { readServerFile } from '../core/base/server-file.ts';
import { dataDirOf, type ServerOptions } from './environment.ts';
import { startService } from './service.ts';

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
  readonly key: string;
  readonly client: Client;
};

const ANSWER_TIMEOUT_MS = 5000;

/** Undefined where no service runs on this data folder, or none that answers. */
export const findRunningServer = async (dataDir: string): Promise<RunningServer | undefined> => {
  const paths = dataPaths(dataDir);
  const server = readServerFile(paths);
  if (server === undefined || !existsSync(paths.localKeyFile)) return undefined;
  const { url, pid, version } = server;
  const key = readFileSync(paths.localKeyFile, 'utf8').trim();
  const client = createClient({ baseUrl: url, key });
  try {
    await client.call('health', { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return { url, pid, version, key, client };
  } catch {
    // The file of a process that was killed.
    return undefined;
  }
};

/** Connects to the service that runs on this data folder, or starts one for this command. */
export const connect = async (options: ServerOptions): Promise<Connection> => {
  const running = await findRunningServer(dataDirOf(options));
  if (running !== undefined) return { ...running, isOwn: false, close: async () => {} };
  const app = await startService({ ...options, port: 0, host: '127.0.0.1' }, 'fail');
  const client = createClient({ baseUrl: app.url, key: app.localKey });
  return { client, url: app.url, key: app.localKey, isOwn: true, close: () => app.close() };
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
