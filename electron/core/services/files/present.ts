import type { FileLinks, StoredFile } from '../../../contract/storage.ts';
import { isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { FileMetadata } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type FileLink, type FileRecord, type LinkCount, storageUsage } from '../../stores/files.ts';
import { findUser } from '../../stores/users.ts';
import type { SettingsService } from '../settings.ts';

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
