import type { SecretBox } from '../core/config.ts';

/** The part of Electron's `safeStorage` that this module uses. */
type SafeStorage = {
  isAsyncEncryptionAvailable(): Promise<boolean>;
  getSelectedStorageBackend(): string;
  encryptStringAsync(text: string): Promise<Buffer>;
  decryptStringAsync(encrypted: Buffer): Promise<{ readonly result: string }>;
};

/** On Linux without a password manager, Electron encrypts with a key that everyone knows. */
const UNPROTECTED = new Set(['basic_text', 'unknown']);

/** Encrypts secrets with the system's key store; undefined if there is none that protects. */
export const createSecretBox = async (
  storage: SafeStorage,
  platform: NodeJS.Platform,
): Promise<SecretBox | undefined> => {
  if (!(await storage.isAsyncEncryptionAvailable())) return undefined;
  if (platform === 'linux' && UNPROTECTED.has(storage.getSelectedStorageBackend())) return undefined;
  return {
    encrypt: (text) => storage.encryptStringAsync(text),
    decrypt: async (bytes) => (await storage.decryptStringAsync(bytes)).result,
  };
};
