import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { newToken } from './base/ids.ts';
import type { DataPaths } from './base/paths.ts';
import type { AccountService } from './services/accounts.ts';

const PRIVATE = { mode: 0o600 };

/** The secret of this installation for signatures and redaction tokens, created at the first start. */
export const installationSecret = (paths: DataPaths): string => {
  if (!existsSync(paths.secretFile)) writeFileSync(paths.secretFile, newToken(32), PRIVATE);
  return readFileSync(paths.secretFile, 'utf8').trim();
};

/**
 * The owner's key for programs that can read the data folder, such as the command line and the desktop window. Created
 * at the first start, and again after it was revoked.
 */
export const localKey = (paths: DataPaths, accounts: AccountService): string => {
  if (existsSync(paths.localKeyFile)) {
    const key = readFileSync(paths.localKeyFile, 'utf8').trim();
    if (accounts.authenticate(key) !== undefined) return key;
  }
  const { key } = accounts.createKey(accounts.owner().id, 'This computer');
  writeFileSync(paths.localKeyFile, key, PRIVATE);
  return key;
};
