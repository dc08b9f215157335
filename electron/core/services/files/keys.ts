import { cleanName } from '../../../contract/names.ts';
import { AppError } from '../../base/errors.ts';

const MAX_FOLDER_PARTS = 32;
/** Longest stem or folder part in UTF-8 bytes. With time and extension it stays under the 255 of most file systems. */
const MAX_PART_BYTES = 200;
const MAX_EXTENSION = 16;
const DEFAULT_FOLDER = 'files';

/** Keeps letters, marks and digits of any script, `-`, `_` and single dots; everything else becomes `-`. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '-')
    .replaceAll(/\.{2,}/g, (dots) => '-'.repeat(dots.length));

/** Whether a text can be the last part of a key that `buildKey` makes. */
export const isCleanName = (name: string): boolean =>
  name !== '' && !/^\.+$/.test(name) && Buffer.byteLength(name) <= 255 && clean(name) === name;

/** Cuts to a number of UTF-8 bytes, never inside a character. */
const cutBytes = (text: string, bytes: number): string => {
  let cut = '';
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    cut += character;
  }
  return cut;
};

const badFolder = (message: string): AppError =>
  new AppError('invalid_request', `The folder is not valid: it ${message}.`, {
    details: [{ path: 'folder', message }],
  });

/**
 * Returns the folder part of a key, by default `files`. Throws `invalid_request` for `..`, empty parts, control
 * characters and absolute paths.
 */
export const parseFolder = (folder: string | undefined): string => {
  if (folder === undefined || folder === '') return DEFAULT_FOLDER;
  if (/\p{Cc}/u.test(folder)) throw badFolder('must not contain control characters');
  if (/^[/\\]|^[A-Za-z]:/.test(folder)) throw badFolder('must not be an absolute path');
  const parts = folder.split('/');
  if (parts.length > MAX_FOLDER_PARTS) throw badFolder(`has more than ${MAX_FOLDER_PARTS} parts`);
  for (const part of folder.split(/[/\\]/)) {
    if (part.trim() === '') throw badFolder('must not contain empty parts');
    if (/^\.+$/.test(part.trim())) throw badFolder('must not contain parts of dots alone');
  }
  const cleaned = parts.map(clean);
  if (cleaned.some((part) => Buffer.byteLength(part) > MAX_PART_BYTES)) {
    throw badFolder(`has a part of more than ${MAX_PART_BYTES} bytes`);
  }
  return cleaned.join('/');
};

/** `Team call.MP3` → `{stem: "Team call", extension: "mp3"}`. Drops folders before the name. */
export const splitName = (fileName: string): { stem: string; extension: string } => {
  const name = fileName.split(/[/\\]/).at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  const extension = dot === -1 ? '' : name.slice(dot + 1).toLowerCase();
  // `v1.2 final` has no extension, though it has a dot.
  if (dot === -1 || !/^[a-z0-9]+$/.test(extension) || extension.length > MAX_EXTENSION)
    return { stem: name, extension: '' };
  return { stem: name.slice(0, dot), extension };
};

/** A file's name as it is stored: without control characters, at most its last 255 characters. */
export const originalName = (fileName: string): string => {
  const name = [...cleanName(fileName.toWellFormed())].slice(-255).join('');
  return name === '' ? 'file' : name;
};

/** `20261120T174500123Z` */
const stamp = (time: number): string => new Date(time).toISOString().replaceAll(/[-:.]/g, '');

export type KeyParts = {
  readonly userId: string;
  readonly folder: string;
  readonly stem: string;
  readonly extension: string;
};

/** `/{user_id}/{folder}/{name}_{YYYYMMDDTHHMMSSmmmZ}.{ext}` */
export const buildKey = ({ userId, folder, stem, extension }: KeyParts, time: number): string => {
  const name = cutBytes(clean(stem), MAX_PART_BYTES) || 'file';
  return `/${userId}/${folder}/${name}_${stamp(time)}.${extension}`;
};

/** A key as the database has it: with its first slash, in Unicode's NFC. */
export const normalizeKey = (key: string): string =>
  `/${key.replace(/^\//, '')}`.toWellFormed().normalize('NFC');

/** The id of the user to whom a key belongs. */
export const userOfKey = (key: string): string => normalizeKey(key).split('/')[1] ?? '';

/** The prefix of a user's keys, from one with or without the first slash and the user's id. */
export const keyPrefix = (userId: string, prefix: string): string => {
  const text = normalizeKey(prefix).slice(1);
  const own = `${userId}/`;
  if (own.startsWith(text)) return `/${own}`;
  return text.startsWith(own) ? `/${text}` : `/${own}${text}`;
};
