import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** Digests, and fractions such as confidences: any four digits may occur in them by chance. */
const RANDOM_DIGITS = /[0-9a-f]{24,}|\d\.\d{8,}/g;

/** The secrets that occur in a text. */
export const secretsIn = (text: string, secrets: readonly string[]): string[] => {
  const folded = text.toLowerCase().replaceAll(RANDOM_DIGITS, ' ');
  return secrets.filter((secret) => folded.includes(secret));
};

/** Searches every file of a folder; returns `file: secret` for each one found. */
export const secretsInFolder = (folder: string, secrets: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path).toString('latin1');
      return secretsIn(text, secrets).map((secret) => `${path.slice(folder.length)}: ${secret}`);
    });

/** The files of a folder that contain these bytes. */
export const filesHolding = (folder: string, bytes: Buffer): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(bytes));
