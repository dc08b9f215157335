import { existsSync, readFileSync } from 'node:fs';
import { type Client, createClient } from '../contract/client.ts';
import { dataPaths } from '../core/base/paths.ts';
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

const findRunningServer = async (dataDir: string): Promise<{ url: string; key: string } | undefined> => {
  const paths = dataPaths(dataDir);
  if (!existsSync(paths.serverFile) || !existsSync(paths.localKeyFile)) return undefined;
  try {
    const { url }: { url: string } = JSON.parse(readFileSync(paths.serverFile, 'utf8'));
    const key = readFileSync(paths.localKeyFile, 'utf8').trim();
    await createClient({ baseUrl: url, key }).call('health', { signal: AbortSignal.timeout(2000) });
    return { url, key };
  } catch {
    // The file of a process that was killed, or a damaged one.
    return undefined;
  }
};

/** Connects to the service that runs on this data folder, or starts one for this command. */
export const connect = async (options: ServerOptions): Promise<Connection> => {
  const running = await findRunningServer(dataDirOf(options));
  if (running !== undefined) {
    const client = createClient({ baseUrl: running.url, key: running.key });
    return { ...running, client, isOwn: false, close: async () => {} };
  }
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
