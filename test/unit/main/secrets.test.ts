import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dataPaths } from '../../../electron/core/base/paths.ts';
import { installationSecret } from '../../../electron/core/secrets.ts';
import { createSecretBox } from '../../../electron/main/secret-box.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A key store that marks what it encrypts with its key. */
const storageWith = (key: string, backend = 'kwallet6', isAvailable = true) => ({
  isAsyncEncryptionAvailable: async () => isAvailable,
  getSelectedStorageBackend: () => backend,
  encryptStringAsync: async (text: string) => Buffer.from(`${key}:${Buffer.from(text).toString('hex')}`),
  decryptStringAsync: async (bytes: Buffer) => {
    const [found, text = ''] = bytes.toString().split(':');
    if (found !== key) throw new Error('wrong key');
    return { result: Buffer.from(text, 'hex').toString() };
  },
});

describe('the secret of an installation', () => {
  it('is kept encrypted where the system has a key store', async () => {
    const paths = dataPaths(temporaryFolder());
    const box = await createSecretBox(storageWith('a'), 'linux');
    const secret = await installationSecret(paths, box);
    expect(await installationSecret(paths, box)).toBe(secret);
    expect(existsSync(paths.secretFile)).toBe(false);
    expect(readFileSync(paths.sealedSecretFile, 'utf8')).not.toContain(secret);
  });

  it('stays the same when it is encrypted later', async () => {
    const paths = dataPaths(temporaryFolder());
    const plain = await installationSecret(paths, undefined);
    expect(await installationSecret(paths, await createSecretBox(storageWith('a'), 'darwin'))).toBe(plain);
    expect(existsSync(paths.secretFile)).toBe(false);
  });

  it('is another one for a program without a key store, which changes nothing for the first', async () => {
    const paths = dataPaths(temporaryFolder());
    const box = await createSecretBox(storageWith('a'), 'win32');
    const sealed = await installationSecret(paths, box);
    const plain = await installationSecret(paths, undefined);
    expect(plain).not.toBe(sealed);
    expect([await installationSecret(paths, box), await installationSecret(paths, undefined)]).toEqual([
      sealed,
      plain,
    ]);
  });

  it('is never replaced where it cannot be decrypted', async () => {
    const paths = dataPaths(temporaryFolder());
    await installationSecret(paths, await createSecretBox(storageWith('a'), 'linux'));
    const before = readFileSync(paths.sealedSecretFile, 'utf8');
    const opened = installationSecret(paths, await createSecretBox(storageWith('b'), 'linux'));
    await expect(opened).rejects.toMatchObject({ code: 'conflict', message: /cannot be decrypted/ });
    expect(readFileSync(paths.sealedSecretFile, 'utf8')).toBe(before);
  });

  it('is refused where it can be guessed', async () => {
    const paths = dataPaths(temporaryFolder());
    const storage = storageWith('a');
    writeFileSync(paths.sealedSecretFile, await storage.encryptStringAsync('short'));
    const opened = installationSecret(paths, await createSecretBox(storage, 'linux'));
    await expect(opened).rejects.toMatchObject({ code: 'conflict', message: /too short/ });
  });

  it('is not encrypted with a key that everyone knows', async () => {
    expect(await createSecretBox(storageWith('a', 'basic_text'), 'linux')).toBeUndefined();
    expect(await createSecretBox(storageWith('a', 'kwallet6', false), 'linux')).toBeUndefined();
  });
});
