import { existsSync, readFileSync } from 'node:fs';
import { type Client, createClient } from '../contract/client.ts';
import { dataPaths } from '../core/base/paths.ts';
import { dataDirOf, type ServerOptions } from './environment.ts';
import { startService } from './service.ts';

export type Connection = {
  readonly client: Client;
  readonly url: string;
  readonly key: string;
  /** Whether the service was started for this command alone. */
  readonly own: boolean;
  close(): Promise<void>;
};

const runningServer = async (dataDir: string): Promise<{ url: string; key: string } | undefined> => {
  const paths = dataPaths(dataDir);
  if (!existsSync(paths.serverFile) || !existsSync(paths.localKeyFile)) return undefined;
  const { url }: { url: string } = JSON.parse(readFileSync(paths.serverFile, 'utf8'));
  const key = readFileSync(paths.localKeyFile, 'utf8').trim();
  try {
    await createClient({ baseUrl: url, key }).call('health', { signal: AbortSignal.timeout(2000) });
    return { url, key };
  } catch {
    // A file left behind by a process that was killed: nothing answers there any more.
    return undefined;
  }
};

/** The service on this data folder: the one that runs already, else one for this command alone. */
export const connect = async (options: ServerOptions): Promise<Connection> => {
  const running = await runningServer(dataDirOf(options));
  if (running !== undefined) {
    const client = createClient({ baseUrl: running.url, key: running.key });
    return { ...running, client, own: false, close: async () => {} };
  }
  const app = await startService({ ...options, port: 0, host: '127.0.0.1' }, 'fail');
  const client = createClient({ baseUrl: app.url, key: app.localKey });
  return { client, url: app.url, key: app.localKey, own: true, close: () => app.close() };
};

/** Connects, works, and lets go again, whatever comes. */
export const using = async (
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
