import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { AppError } from './base/errors.ts';
import { newToken } from './base/ids.ts';
import type { DataPaths } from './base/paths.ts';
import type { SecretBox } from './config.ts';
import type { AccountService } from './services/accounts.ts';

const PRIVATE = { mode: 0o600 };

/** Shorter ones can be guessed: an empty file would sign for everybody. */
const MIN_SECRET_LENGTH = 32;

/** Writes a file that exists completely or not at all, also after a power cut. */
const writeDurably = (path: string, content: string | Buffer): void => {
  const file = openSync(`${path}.new`, 'w', PRIVATE.mode);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
};

/** Throws `conflict` for a secret that can be guessed. */
const checked = (secret: string, file: string): string => {
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new AppError(
    'conflict',
    `The file ${file} in the data folder is damaged: it is too short. Restore it from a backup; or delete it, which ends signed addresses and changes redaction tokens.`,
  );
};

/** The secret in its plain file, created at the first start. Throws `conflict` for a damaged one. */
export const plainSecret = ({ secretFile }: DataPaths): string => {
  if (!existsSync(secretFile)) writeDurably(secretFile, newToken(32));
  return checked(readFileSync(secretFile, 'utf8').trim(), 'secret');
};

const openSealed = async (path: string, box: SecretBox): Promise<string> => {
  try {
    return await box.decrypt(readFileSync(path));
  } catch (error) {
    throw new AppError(
      'conflict',
      'The file secret.sealed in the data folder cannot be decrypted: this system has another key than the one that wrote it. Open the library on the system on which it was made; or delete the file, which ends signed addresses and changes redaction tokens.',
      { cause: error },
    );
  }
};

/**
 * The secret of this installation for signatures and redaction tokens, created at the first start. With a box it is kept
 * encrypted, in a file of its own, so that a program without one, which makes a plain secret for itself, opens the same
 * folder: each signs with its own. Throws `conflict` for one that is damaged or cannot be decrypted.
 */
export const installationSecret = async (paths: DataPaths, box: SecretBox | undefined): Promise<string> => {
  if (box === undefined) return plainSecret(paths);
  const { secretFile, sealedSecretFile } = paths;
  if (existsSync(sealedSecretFile)) return checked(await openSealed(sealedSecretFile, box), 'secret.sealed');
  const secret = existsSync(secretFile) ? plainSecret(paths) : newToken(32);
  writeDurably(sealedSecretFile, await box.encrypt(secret));
  rmSync(secretFile, { force: true });
  return secret;
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
