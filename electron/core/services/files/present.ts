import { cleanName } from '../../../contract/names.ts';
import type { FileLinks, StoredFile } from '../../../contract/storage.ts';
import { isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { FileMetadata } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type FileLink, type FileRecord, type LinkCount, storageUsage } from '../../stores/files.ts';
import { findUser } from '../../stores/users.ts';
import type { SettingsService } from '../settings.ts';

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

type KeyParts = {
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

/** The part of a quota that one upload in flight takes. */
export type Reservation = {
  /** Reserves more bytes; throws `storage_limit_exceeded` if they would exceed the quota. */
  grow(bytes: number): void;
  /** Reserves what is stored already, or gives back with a negative number. */
  add(bytes: number): void;
  /** Gives everything back. Calling it again has no effect. */
  release(): void;
};

/** Each user's storage quota; stored files and uploads in flight count. */
export class Quota {
  readonly #db: ReadableDb;
  readonly #settings: SettingsService;
  readonly #inFlight = new Map<string, number>();

  constructor(db: ReadableDb, settings: SettingsService) {
    this.#db = db;
    this.#settings = settings;
  }

  limitOf(userId: string): number {
    return findUser(this.#db, userId)?.storageLimit ?? this.#settings.get('storage.limitBytes');
  }

  /** Throws `storage_limit_exceeded` if storing `bytes` more would exceed the user's quota. */
  check(userId: string, bytes: number): void {
    const limit = this.limitOf(userId);
    if (storageUsage(this.#db, userId).bytes + (this.#inFlight.get(userId) ?? 0) + bytes <= limit) return;
    throw new AppError(
      'storage_limit_exceeded',
      `The file does not fit: the account is limited to ${formatBytes(limit)}.`,
    );
  }

  reserve(userId: string): Reservation {
    let reserved = 0;
    const add = (bytes: number) => {
      const next = (this.#inFlight.get(userId) ?? 0) + bytes;
      if (next === 0) this.#inFlight.delete(userId);
      else this.#inFlight.set(userId, next);
      reserved += bytes;
    };
    return {
      grow: (bytes) => {
        this.check(userId, bytes);
        add(bytes);
      },
      add,
      release: () => add(-reserved),
    };
  }
}

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 32;

const refuse = (message: string): AppError =>
  new AppError('invalid_request', `The metadata is not valid: it ${message}.`, {
    details: [{ path: 'metadata', message }],
  });

/** Depth of the brackets in a JSON text, counted without parsing: JSON.parse and what follows recurse. */
const nesting = (text: string): number => {
  let [depth, deepest, inString] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '\\') i++;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '{' || character === '[')) deepest = Math.max(deepest, ++depth);
    else if (!inString && (character === '}' || character === ']')) depth--;
  }
  return deepest;
};

const checkText = (text: string): void => {
  if (Buffer.byteLength(text) > MAX_BYTES) throw refuse('must be at most 16 KB of JSON');
  if (nesting(text) > MAX_DEPTH) throw refuse(`must not nest deeper than ${MAX_DEPTH} levels`);
};

/** Returns the metadata. Throws `invalid_request` when it is too large or too deep to be stored. */
export const checkMetadata = (metadata: FileMetadata): FileMetadata => {
  checkText(JSON.stringify(metadata));
  return metadata;
};

/** Parses the `metadata` form field, a JSON object. Throws `invalid_request` for anything else. */
export const parseMetadata = (text: string): FileMetadata => {
  checkText(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('must be a JSON object');
  }
  const metadata = FileMetadata.safeParse(value);
  if (!metadata.success) throw refuse('must be a JSON object');
  return metadata.data;
};

/** Percent-encodes the parts of a key; keeps its slashes but the first. */
const encodeKey = (key: string): string => key.slice(1).split('/').map(encodeURIComponent).join('/');

export const downloadUrl = (baseUrl: string, key: string): string =>
  `${baseUrl}/v1/storage/download/${encodeKey(key)}`;

export const directUrl = (baseUrl: string, key: string): string => `${baseUrl}/cdn/${encodeKey(key)}`;

/** The entity tag of a file: its MD5 in quotes. */
export const etagOf = (file: FileRecord): string => `"${file.md5}"`;

export const presentFile = (file: FileRecord, baseUrl: string): StoredFile => ({
  id: file.id,
  key: file.key,
  original_name: file.originalName,
  size: file.size,
  mime_type: file.mimeType,
  public: file.isPublic,
  folder: file.folder,
  uploaded_at: isoTime(file.uploadedAt),
  metadata: file.metadata,
  urls: {
    download: downloadUrl(baseUrl, file.key),
    direct: file.isPublic ? directUrl(baseUrl, file.key) : null,
  },
  checksums: { md5: file.md5, sha256: file.sha256 },
});

/** The answer of `GET /v1/storage/file/{fileKey}`. */
export const presentInformation = (file: FileRecord, baseUrl: string) => ({
  fileKey: file.key,
  originalName: file.originalName,
  size: file.size,
  sizeFormatted: formatBytes(file.size),
  contentType: file.mimeType,
  uploadedAt: isoTime(file.uploadedAt),
  lastModified: isoTime(file.modifiedAt),
  etag: etagOf(file),
  publicUrl: file.isPublic ? directUrl(baseUrl, file.key) : '',
  downloadUrl: downloadUrl(baseUrl, file.key),
});

/** The answer of `GET /v1/storage/links/{fileKey}`. */
export const presentLinks = (
  file: FileRecord,
  links: readonly FileLink[],
  counts: readonly LinkCount[],
): FileLinks['data'] => {
  const effects = { nothing: 0, audio_lost: 0, job_fails: 0, retry_lost: 0 };
  for (const { effect, count } of counts) effects[effect] += count;
  const sum = (kinds: readonly LinkCount[]) => kinds.reduce((total, { count }) => total + count, 0);
  return {
    fileKey: file.key,
    total: sum(counts),
    effects,
    redacted: sum(counts.filter(({ isRedacted }) => isRedacted)),
    transcriptions: links.map(({ id, name, status, isRedacted, effect }) => ({
      id,
      name,
      status,
      redacted: isRedacted,
      if_deleted: effect,
    })),
  };
};
