import { warningOf } from '../../../contract/warnings.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { formatBytes, round } from '../../base/numbers.ts';
import { isActiveType } from '../../engines/scan/file-types.ts';
import type { FileMetadata, Transcript } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import * as store from '../../stores/files.ts';
import {
  countLinksOfFile,
  type FileFilter,
  type FileRecord,
  linksOfFile,
  listFiles,
  listFolders,
} from '../../stores/files.ts';
import type { ObjectStore } from '../../stores/objects/store.ts';
import { findTranscript, transcriptsOfFile, updateTranscript } from '../../stores/transcripts.ts';
import type { EventHub } from '../events.ts';
import { checkMetadata, keyPrefix, normalizeKey, presentFile, presentLinks, type Quota } from './present.ts';
import type { TokenSigner } from './presign.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a URL leads to this server; all names of the loopback interface are equal. */
const isOwn = (url: URL, base: URL): boolean =>
  url.protocol === base.protocol &&
  url.port === base.port &&
  (url.hostname === base.hostname || (LOOPBACK.has(url.hostname) && LOOPBACK.has(base.hostname)));

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/**
 * The key of the stored file that a URL names: `storage:{key}`, this server's own download and direct
 * URLs, and its signed ones. Undefined for any other URL.
 */
const keyOfUrl = (url: string, baseUrl: string, signer: TokenSigner): string | undefined => {
  if (/^storage:/i.test(url)) return normalizeKey(url.slice('storage:'.length));
  if (!URL.canParse(url) || !URL.canParse(baseUrl)) return undefined;
  const parsed = new URL(url);
  if (!isOwn(parsed, new URL(baseUrl))) return undefined;
  const token = /^\/v1\/storage\/presigned\/([^/]+)$/.exec(parsed.pathname)?.[1];
  if (token !== undefined) return signer.peek(token)?.key;
  const path = /^\/(?:v1\/storage\/download|cdn)\/(.+)$/.exec(parsed.pathname)?.[1];
  const key = path === undefined ? undefined : decoded(path);
  return key === undefined ? undefined : normalizeKey(key);
};

export type { FileRecord as StoredFile } from '../../stores/files.ts';

type FileServiceDeps = {
  readonly db: WritableDb;
  readonly objects: ObjectStore;
  readonly quota: Quota;
  readonly signer: TokenSigner;
  readonly events: EventHub;
  readonly clock: Clock;
  readonly baseUrl: () => string;
  /** Called after a file was deleted, once for each transcript that was made from it. */
  readonly onSourceDeleted: (transcriptId: string) => void;
};

const SOURCE_DELETED = warningOf('source_deleted');

const MAX_LISTED_LINKS = 100;

export const fileNotFound = (): AppError => new AppError('file_not_found', 'There is no such file.');

/** Whether a transcript is a reason to keep the file that it was made from. */
const usesSource = ({ status, options }: Transcript): boolean =>
  status !== 'completed' || !options.redact_pii || options.redact_source === 'keep';

/** Finds, lists, edits and deletes users' files. UploadService creates them. */
export class FileService {
  readonly #deps: FileServiceDeps;

  constructor(deps: FileServiceDeps) {
    this.#deps = deps;
  }

  /** The user's own file. Undefined for another user's, so that no one learns that it exists. */
  ownFile(userId: string, key: string): FileRecord | undefined {
    const file = store.findFileByKey(this.#deps.db, normalizeKey(key));
    return file?.userId === userId ? file : undefined;
  }

  /** As `ownFile`; throws `file_not_found`. */
  requireOwn(userId: string, key: string): FileRecord {
    const file = this.ownFile(userId, key);
    if (file === undefined) throw fileNotFound();
    return file;
  }

  /** Any user's file. Throws `file_not_found`. */
  requireAny(key: string): FileRecord {
    const file = store.findFileByKey(this.#deps.db, normalizeKey(key));
    if (file === undefined) throw fileNotFound();
    return file;
  }

  publicFile(key: string): FileRecord | undefined {
    const file = store.findFileByKey(this.#deps.db, normalizeKey(key));
    return file?.isPublic === true ? file : undefined;
  }

  /** Whether a browser that opens the file could run script of its own: HTML, SVG and XML. */
  isActive(file: FileRecord): boolean {
    return isActiveType(file.mimeType);
  }

  /** The path of an intact copy, for ffmpeg. Throws `internal_error` when no copy is intact. */
  pathOf(file: FileRecord): Promise<string> {
    return this.#deps.objects.verifiedPath(file);
  }

  /** As `locate`, for the user's own file that a URL of this server or `storage:{key}` names. */
  async locateOwn(userId: string, url: string) {
    const key = this.resolveUrl(url);
    const file = key === undefined ? undefined : this.ownFile(userId, key);
    return file && this.locate(file.id);
  }

  /** As `pathOf`, by the file's id; undefined when the file was deleted. */
  async locate(fileId: string): Promise<{ path: string; name: string; size: number } | undefined> {
    const file = store.findFile(this.#deps.db, fileId);
    if (file === undefined) return undefined;
    return { path: await this.pathOf(file), name: file.originalName, size: file.size };
  }

  /** The file's bytes, whose checksums are checked as they are read. */
  source(file: FileRecord) {
    return this.#deps.objects.source(file);
  }

  /** The key of the stored file that one of this server's URLs names; undefined for any other URL. */
  resolveUrl(url: string): string | undefined {
    return keyOfUrl(url, this.#deps.baseUrl(), this.#deps.signer);
  }

  list(userId: string, filter: FileFilter) {
    const prefix = filter.prefix === undefined ? undefined : keyPrefix(userId, filter.prefix);
    const { files, total } = listFiles(this.#deps.db, userId, { ...filter, prefix });
    const pages = Math.ceil(total / filter.limit);
    return {
      files: files.map((file) => presentFile(file, this.#deps.baseUrl())),
      folders: listFolders(this.#deps.db, userId),
      pagination: {
        page: filter.page,
        limit: filter.limit,
        total,
        pages,
        hasNext: filter.page < pages,
        hasPrev: filter.page > 1 && total > 0,
      },
    };
  }

  /** What was made from a file; throws `file_not_found`. */
  links(userId: string, key: string) {
    const { db } = this.#deps;
    const file = this.requireOwn(userId, key);
    return presentLinks(file, linksOfFile(db, file, MAX_LISTED_LINKS), countLinksOfFile(db, file));
  }

  change(
    userId: string,
    key: string,
    change: { public?: boolean | undefined; metadata?: FileMetadata | undefined },
  ): FileRecord {
    const { db, clock } = this.#deps;
    store.updateFile(db, this.requireOwn(userId, key), {
      isPublic: change.public,
      metadata: change.metadata === undefined ? undefined : checkMetadata(change.metadata),
      modifiedAt: clock.now(),
    });
    return this.requireOwn(userId, key);
  }

  /** Deletes every copy of a file. Transcripts made from it keep their text. */
  async remove(userId: string, key: string): Promise<{ fileKey: string; deletedAt: string }> {
    const file = this.requireOwn(userId, key);
    await this.#delete(file);
    return { fileKey: file.key, deletedAt: isoTime(this.#deps.clock.now()) };
  }

  /** Deletes a file of a folder, unless there is a transcript that was made from it. */
  async removeUnused(fileId: string, folder: string): Promise<void> {
    const file = store.findFile(this.#deps.db, fileId);
    if (file?.folder !== folder || transcriptsOfFile(this.#deps.db, fileId).length > 0) return;
    await this.#delete(file);
  }

  /** Deletes all files of a user. */
  async removeAllOf(userId: string): Promise<void> {
    for (const file of store.filesOfUser(this.#deps.db, userId)) await this.#delete(file);
  }

  /** The answer of `GET /v1/storage/info`. */
  usage(userId: string) {
    const { bytes, files } = store.storageUsage(this.#deps.db, userId);
    const limit = this.#deps.quota.limitOf(userId);
    const available = Math.max(0, limit - bytes);
    return {
      totalStorageUsed: bytes,
      totalStorageUsedFormatted: formatBytes(bytes),
      fileCount: files,
      storageLimit: limit,
      storageLimitFormatted: formatBytes(limit),
      availableStorage: available,
      availableStorageFormatted: formatBytes(available),
      usagePercentage: limit === 0 ? 100 : round((bytes / limit) * 100, 2),
    };
  }

  /** See `PipelineFiles`. */
  discard(fileId: string, transcriptId: string): (() => Promise<void>) | undefined {
    const { db, objects, events } = this.#deps;
    const others = transcriptsOfFile(db, fileId)
      .filter(({ id }) => id !== transcriptId)
      .map(({ id }) => findTranscript(db, id));
    if (others.some((other) => other !== undefined && usesSource(other))) return undefined;
    const file = store.findFile(db, fileId);
    this.#detachTranscripts(fileId);
    store.deleteFile(db, fileId);
    return async () => {
      if (file === undefined) return;
      events.publish(file.userId, { type: 'file.deleted', key: file.key });
      await objects.discard(file.object);
    };
  }

  async #delete(file: FileRecord): Promise<void> {
    const { db, objects, events, onSourceDeleted } = this.#deps;
    const detached = db.transaction(() => {
      const transcripts = this.#detachTranscripts(file.id);
      return store.deleteFile(db, file.id) ? transcripts : undefined;
    }, 'deletion');
    // A concurrent request deleted it first.
    if (detached === undefined) throw fileNotFound();
    events.publish(file.userId, { type: 'file.deleted', key: file.key });
    for (const transcript of detached) onSourceDeleted(transcript);
    await objects.remove(file.object);
  }

  /** Detaches the file from its transcripts, and returns their ids. One with audio of its own, such as a bleeped recording, keeps that. */
  #detachTranscripts(fileId: string): string[] {
    const { db } = this.#deps;
    return transcriptsOfFile(db, fileId).flatMap(({ id }) => {
      const transcript = findTranscript(db, id);
      if (transcript === undefined) return [];
      const hasNoAudio = transcript.audioFile === null;
      const warnings = hasNoAudio ? [...transcript.warnings, SOURCE_DELETED] : transcript.warnings;
      updateTranscript(db, id, { fileId: null, warnings });
      return [id];
    });
  }
}
