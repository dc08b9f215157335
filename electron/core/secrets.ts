import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { AppError } from './base/errors.ts';
import { newToken } from './base/ids.ts';
import type { DataPaths } from './base/paths.ts';
import type { AccountService } from './services/accounts.ts';

const PRIVATE = { mode: 0o600 };

/** Shorter ones can be guessed: an empty file would sign for everybody. */
const MIN_SECRET_LENGTH = 32;

/** Writes a file that exists completely or not at all, also after a power cut. */
const writeDurably = (path: string, text: string): void => {
  const file = openSync(`${path}.new`, 'w', PRIVATE.mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
};

/**
 * The secret of this installation for signatures and redaction tokens, created at the first start. Throws `conflict`
 * for a damaged one.
 */
export const installationSecret = (paths: DataPaths): string => {
  if (!existsSync(paths.secretFile)) writeDurably(paths.secretFile, newToken(32));
  const secret = readFileSync(paths.secretFile, 'utf8').trim();
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new AppError(
    'conflict',
    'The file secret in the data folder is damaged: it is too short. Restore it from a backup; or delete it, which ends signed addresses and changes redaction tokens.',
  );
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
