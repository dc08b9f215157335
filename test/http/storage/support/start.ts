import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../../../electron/contract/settings.ts';
import { systemClock } from '../../../../electron/core/base/clock.ts';
import { silentLogger } from '../../../../electron/core/base/logger.ts';
import { dataPaths } from '../../../../electron/core/base/paths.ts';
import { RequestLog } from '../../../../electron/core/http/request-log.ts';
import { createServer } from '../../../../electron/core/http/server.ts';
import { addAccountRoutes } from '../../../../electron/core/http/v1/accounts.ts';
import { createBucketCors } from '../../../../electron/core/http/v1/storage/bucket-cors.ts';
import { addStorageRoutes } from '../../../../electron/core/http/v1/storage.ts';
import { AccountService } from '../../../../electron/core/services/accounts.ts';
import { EventHub } from '../../../../electron/core/services/events.ts';
import { createFiles, type Files } from '../../../../electron/core/services/files/create.ts';
import { SettingsService } from '../../../../electron/core/services/settings.ts';
import { UsageService } from '../../../../electron/core/services/usage.ts';
import { type Database, openDatabase } from '../../../../electron/core/stores/database.ts';
import { RESOURCES } from '../../../support/paths.ts';

/** No rate limits unless a test sets them. */
const TEST_SETTINGS: Partial<Settings> = {
  'limits.uploadsPer15Minutes': 0,
  'limits.deletionsPer15Minutes': 0,
  'limits.requestsPerMinute': 0,
};

const OWNER_KEY = 'owner-key-of-this-run';

export type StartOptions = {
  readonly root: string;
  readonly port?: number;
  readonly settings?: Partial<Settings>;
  /** Default: no ClamAV. */
  readonly environment?: NodeJS.ProcessEnv;
};

export type Storage = {
  readonly url: string;
  /** The owner's API key. */
  readonly ownerKey: string;
  readonly db: Database;
  readonly files: Files;
  readonly accounts: AccountService;
  readonly events: EventHub;
  readonly settings: SettingsService;
  close(): Promise<void>;
};

const listen = async (server: FastifyInstance, port: number): Promise<string> => {
  await server.listen({ host: '127.0.0.1', port });
  // A server that listens on TCP has such an address.
  const address = server.server.address() as AddressInfo;
  return `http://127.0.0.1:${address.port}`;
};

/** Starts the storage behind the real HTTP server. */
export const startStorage = async (options: StartOptions): Promise<Storage> => {
  const paths = dataPaths(options.root);
  mkdirSync(paths.root, { recursive: true });
  const db = openDatabase(join(options.root, 'earshot.db'), { logger: silentLogger, now: Date.now });
  const settings = new SettingsService(db, { ...TEST_SETTINGS, ...options.settings });
  const accounts = new AccountService(db, systemClock, OWNER_KEY);
  accounts.owner();
  const events = new EventHub();
  let url = '';
  const environment = {
    PATH: process.env.PATH,
    EARSHOT_CLAMD_CONF: '',
    EARSHOT_CLAMSCAN: '',
    ...options.environment,
  };
  const files = createFiles({
    db,
    paths,
    settings,
    clock: systemClock,
    logger: silentLogger,
    events,
    secret: 'a secret for tests',
    baseUrl: () => url,
    environment,
    onSourceDeleted() {},
  });
  await files.open();
  const server = await createServer({
    accounts,
    settings,
    requestLog: new RequestLog(),
    clock: systemClock,
    logger: silentLogger,
    version: '0.0.0',
    host: '127.0.0.1',
    rendererDir: join(options.root, 'no-window'),
    resourcesDir: RESOURCES,
    isShuttingDown: () => false,
    bucket: createBucketCors(files),
  });
  addAccountRoutes(server, {
    accounts,
    settings,
    usage: new UsageService(db),
    deleteUser: async (id) => {
      accounts.deletableUser(id);
      await files.service.removeAllOf(id);
      accounts.removeUser(id);
    },
  });
  await addStorageRoutes(server, files);
  url = await listen(server, options.port ?? 0);
  return {
    url,
    ownerKey: OWNER_KEY,
    db,
    files,
    accounts,
    events,
    settings,
    close: async () => {
      await server.close();
      await files.close();
      db.close();
    },
  };
};
