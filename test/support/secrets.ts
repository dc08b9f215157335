import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../electron/core/base/errors.ts';
import type { TestServer } from './server.ts';

/** Words that are not secret by themselves, although private values contain them. */
const ORDINARY = new Set(['park', 'avenue', 'street', 'www', 'example', 'com']);

/** What must be found nowhere: whole values, and their telling words. */
export const secretTexts = (values: readonly string[]): string[] => {
  const words = values.flatMap((value) => value.split(/\s+/u));
  const telling = words
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word.length >= 4 && !ORDINARY.has(word.toLowerCase()));
  return [...new Set([...values, ...telling].map((text) => text.toLowerCase()))];
};

/**
 * Digests, fractions such as confidences, ids, times, redaction tokens and ports: any four digits may occur in them by
 * chance. Ids of events are times.
 */
const RANDOM_DIGITS =
  /"id":"\d{13}"|[0-9a-f]{24,}|\d\.\d{8,}|_[0-9a-hjkmnp-tv-z]{26}|\d{4}-\d\d-\d\dt[\d:.]+z|_[0-9a-f]{8}\]|127\.0\.0\.1:\d+/g;
/** In the bytes of all files, short numbers occur by chance: in times, sizes and samples of sound. */
const SHORT_NUMBER = /^\d{1,6}$/;

/** The secrets that occur in a text. */
export const secretsIn = (text: string, secrets: readonly string[]): string[] => {
  const folded = text.toLowerCase().replaceAll(RANDOM_DIGITS, ' ');
  return secrets.filter((secret) => folded.includes(secret));
};

/** Backups are renewed only seconds to minutes after something was erased, which `test/http/erasure.test.ts` tests. */
export const turnOffBackups = async ({ client }: TestServer): Promise<void> => {
  await client.call('patchSettings', { body: { 'storage.backups': false } });
};

/** The disk's reserve holds random bytes, which spell any short word by chance, and nothing of a user's. */
const isData = (entry: Dirent): boolean => entry.isFile() && !entry.name.startsWith('earshot.reserve');

/** Empty for a file that is removed meanwhile, as the journals and unfinished copies of a running server are. */
const contentOf = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  }
};

/** Searches every file of a folder; returns `file: secret` for each one found. */
export const secretsInFolder = (folder: string, secrets: readonly string[]): string[] => {
  const sure = secrets.filter((secret) => !SHORT_NUMBER.test(secret));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(isData)
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const text = contentOf(path).toString('latin1');
      return secretsIn(text, sure).map((secret) => `${path.slice(folder.length)}: ${secret}`);
    });
};

/** The files of a folder that contain these bytes. */
export const filesHolding = (folder: string, bytes: Buffer): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(isData)
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => contentOf(path).includes(bytes));
