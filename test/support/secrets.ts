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
  const folded = text.toLowerCase();
  // A replacement adds nothing but spaces, and costs ten times as much as these searches in a large file.
  const possible = secrets.filter((secret) => secret.split(' ').every((word) => folded.includes(word)));
  if (possible.length === 0) return [];
  const kept = folded.replaceAll(RANDOM_DIGITS, ' ');
  return possible.filter((secret) => kept.includes(secret));
};

/** Backups are renewed only seconds to minutes after something was erased, which `test/http/erasure.test.ts` tests. */
export const turnOffBackups = async ({ client }: TestServer): Promise<void> => {
  await client.call('patchSettings', { body: { 'storage.backups': false } });
};

/** The disk's reserve holds random bytes, which spell any short word by chance, and nothing of a user's. */
const isData = (entry: Dirent): boolean => entry.isFile() && !entry.name.startsWith('earshot.reserve');

/** `gone` for what is removed meanwhile, as the journals and the work folders of a running server are. */
const unlessGone = <T>(read: () => T, gone: T): T => {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return gone;
  }
};

const contentOf = (path: string): Buffer => unlessGone(() => readFileSync(path), Buffer.alloc(0));

/** The paths of all files below a folder that may hold data of a user. */
const filesUnder = (folder: string): string[] =>
  unlessGone(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return isData(entry) ? [path] : [];
  });

/** Searches every file of a folder; returns `file: secret` for each one found. */
export const secretsInFolder = (folder: string, secrets: readonly string[]): string[] => {
  const sure = secrets.filter((secret) => !SHORT_NUMBER.test(secret));
  return filesUnder(folder).flatMap((path) => {
    const text = contentOf(path).toString('latin1');
    return secretsIn(text, sure).map((secret) => `${path.slice(folder.length)}: ${secret}`);
  });
};

/** The files of a folder whose bytes meet a condition. */
export const filesWhose = (folder: string, holds: (content: Buffer) => boolean): string[] =>
  filesUnder(folder).filter((path) => holds(contentOf(path)));

/** The files of a folder that contain these bytes. */
export const filesHolding = (folder: string, bytes: Buffer | string): string[] =>
  filesWhose(folder, (content) => content.includes(bytes));
