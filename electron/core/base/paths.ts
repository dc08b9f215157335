import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Files and folders of a data folder. */
export type DataPaths = {
  readonly root: string;
  readonly database: string;
  readonly objects: string;
  readonly recordings: string;
  readonly temporary: string;
  readonly models: string;
  readonly transcripts: string;
  readonly logs: string;
  readonly backups: string;
  readonly reserve: string;
  readonly serverFile: string;
  readonly lockFile: string;
  readonly secretFile: string;
  /** The secret as the desktop program keeps it, encrypted by the system. */
  readonly sealedSecretFile: string;
  readonly localKeyFile: string;
};

/** `EARSHOT_DATA_DIR`, or the platform's folder for application data. */
export const defaultDataDir = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  if (environment.EARSHOT_DATA_DIR) return resolve(environment.EARSHOT_DATA_DIR);
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Earshot');
  if (platform === 'win32')
    return join(environment.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'Earshot');
  return join(environment.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'earshot');
};

export const dataPaths = (root: string): DataPaths => ({
  root,
  database: join(root, 'earshot.db'),
  objects: join(root, 'objects'),
  recordings: join(root, 'recordings'),
  temporary: join(root, 'tmp'),
  models: join(root, 'models'),
  transcripts: join(root, 'transcripts'),
  logs: join(root, 'logs'),
  backups: join(root, 'backups'),
  reserve: join(root, 'earshot.reserve'),
  serverFile: join(root, 'server.json'),
  lockFile: join(root, 'earshot.lock'),
  secretFile: join(root, 'secret'),
  sealedSecretFile: join(root, 'secret.sealed'),
  localKeyFile: join(root, 'local-key'),
});
