import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { formatBytes, round, roundMs } from '../../base/numbers.ts';
import { type ChosenType, chooseType } from '../../engines/scan/content.ts';
import type { ScanEngine } from '../../engines/scan/scanner.ts';
import type { WritableDb } from '../../stores/database.ts';
import { type FileFilter, listFiles, listFolders } from '../../stores/file-list.ts';
import * as rows from '../../stores/files.ts';
import type { ObjectStore } from '../../stores/objects/store.ts';
import { isPresignedKey } from '../../stores/presigned.ts';
import type { FileRow } from '../../stores/schema.ts';
import { findTranscript, transcriptsOfFile, updateTranscript } from '../../stores/transcripts.ts';
import { findUser } from '../../stores/users.ts';
import type { EventHub } from '../events.ts';
import { type Intake, type IntakeService, MAX_FILE_BYTES, type ReceiveOptions } from './intake.ts';
import { buildKey, keyPrefix, normalizeKey, originalName, parseFolder, splitName } from './keys.ts';
import { metadataText } from './metadata.ts';
import { keyOfUrl } from './own-url.ts';
import { presentFile } from './present.ts';
import type { Quota } from './quota.ts';
import type { TokenSigner } from './tokens.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** A transcript whose stored file was deleted. */
export type AudioGone = { readonly userId: string; readonly transcriptId: string };

/** What a file is to be, decided before or while its bytes come. */
export type FilePlan = {
  readonly userId: string;
  readonly folder: string;
  readonly originalName: string;
  readonly chosen: ChosenType;
  readonly public: boolean;
  readonly metadata: string;
};

export type PlanInput = {
  readonly userId: string;
  readonly fileName: string;
  readonly declaredType: string;
  readonly folder?: string | undefined;
  readonly public?: boolean | undefined;
  readonly metadata?: Metadata | undefined;
};

/** What is settled already of a file that was planned before, or comes back from an export. */
export type PlannedFile = {
  readonly key?: string;
  /** In the transaction that records the file. */
  readonly onRecorded?: () => void;
  readonly kept?: Pick<FileRow, 'id' | 'uploaded_at' | 'modified_at'>;
};

export type UploadInput = Omit<PlanInput, 'userId'> & {
  readonly user: { readonly id: string };
  readonly stream: AsyncIterable<Uint8Array>;
  readonly expectedBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type UploadInfo = {
  /** Seconds. */
  readonly processing_time: number;
  readonly storage_region: string;
  readonly compression_applied: boolean;
  readonly scan: { readonly engine: ScanEngine; readonly clean: true };
};

type FileServiceOptions = {
  readonly db: WritableDb;
  readonly store: ObjectStore;
  readonly intake: IntakeService;
  readonly quota: Quota;
  readonly signer: TokenSigner;
  readonly events: EventHub;
  readonly clock: Clock;
  readonly baseUrl: () => string;
  /** Told after a file was deleted, once for each transcript that was made from it. */
  readonly onAudioGone: (gone: AudioGone) => void;
};

const AUDIO_GONE = 'The stored file that this transcript was made from was deleted, and its audio with it.';

export const fileNotFound = (): AppError => new AppError('file_not_found', 'There is no such file.');

/** The users' stored files: what they are, who may read them, how they come and go. */
export class FileService {
  readonly #o: FileServiceOptions;

  constructor(options: FileServiceOptions) {
    this.#o = options;
  }

  /** Checks name, type, folder and metadata of a file that is to come. Throws what is wrong with them. */
  plan(input: PlanInput): FilePlan {
    return {
      userId: input.userId,
      folder: parseFolder(input.folder),
      originalName: originalName(input.fileName),
      chosen: chooseType(splitName(input.fileName).extension, input.declaredType),
      public: input.public ?? false,
      metadata: metadataText(input.metadata ?? {}),
    };
  }

  /** Takes bytes in; `finish` makes a file of them, `drop` removes them. */
  receive(options: ReceiveOptions): Promise<Intake> {
    return this.#o.intake.receive(options);
  }

  drop(intake: Intake): Promise<void> {
    return this.#o.intake.drop(intake);
  }

  /** Scans, checks and records what was received. */
  async finish(
    intake: Intake,
    plan: FilePlan,
    planned: PlannedFile = {},
  ): Promise<{ row: FileRow; info: UploadInfo }> {
    const engine = await this.#o.intake.check(intake, plan.chosen);
    const { db, store, clock, events } = this.#o;
    const { staged, reservation, startedAt } = intake;
    let row: FileRow;
    try {
      row = db.transaction(() => {
        const file = { ...this.#newRow(intake, plan, planned.key ?? this.newKey(plan)), ...planned.kept };
        rows.insertFile(db, file, staged.checksums);
        planned.onRecorded?.();
        return file;
      });
    } catch (error) {
      await this.drop(intake);
      throw error;
    }
    reservation.release();
    store.settle(staged.object);
    events.publish(row.user_id, { type: 'file.created', key: row.key });
    const info: UploadInfo = {
      processing_time: roundMs((clock.monotonic() - startedAt) / 1000),
      storage_region: store.labels.join(', '),
      compression_applied: false,
      scan: { engine, clean: true },
    };
    return { row, info };
  }

  /** Stores a stream as a file of a user, with every check of an upload over HTTP. */
  async upload(input: UploadInput): Promise<{ file: FileRow; info: UploadInfo }> {
    const userId = input.user.id;
    const plan = this.plan({ ...input, userId });
    const { stream: source, expectedBytes, signal } = input;
    const intake = await this.receive({ userId, source, maxBytes: MAX_FILE_BYTES, expectedBytes, signal });
    const { row, info } = await this.finish(intake, plan);
    return { file: row, info };
  }

  /** A key that no file has and no presigned upload waits for. */
  newKey(plan: FilePlan): string {
    const { db, clock } = this.#o;
    const { stem } = splitName(plan.originalName);
    const parts = { userId: plan.userId, folder: plan.folder, stem, extension: plan.chosen.extension };
    for (let time = clock.now(); ; time++) {
      const key = buildKey(parts, time);
      if (rows.findFileByKey(db, key) === undefined && !isPresignedKey(db, key)) return key;
    }
  }

  /** The caller's own file, or undefined: another user's is as good as missing. */
  ownFile(userId: string, key: string): FileRow | undefined {
    const row = rows.findFileByKey(this.#o.db, normalizeKey(key));
    return row?.user_id === userId ? row : undefined;
  }

  /** As `ownFile`; throws `file_not_found`. */
  requireOwn(userId: string, key: string): FileRow {
    const row = this.ownFile(userId, key);
    if (row === undefined) throw fileNotFound();
    return row;
  }

  publicFile(key: string): FileRow | undefined {
    const row = rows.findFileByKey(this.#o.db, normalizeKey(key));
    return row?.public === 1 ? row : undefined;
  }

  /** A path with a copy that was just found right, for ffmpeg. Throws when no good copy is left. */
  pathOf(file: FileRow): Promise<string> {
    return this.#o.store.verifiedPath(file);
  }

  /** As `pathOf`, of a file by its id; undefined when it is gone. */
  async locate(fileId: string): Promise<{ path: string; name: string; size: number } | undefined> {
    const file = rows.findFile(this.#o.db, fileId);
    if (file === undefined) return undefined;
    return { path: await this.pathOf(file), name: file.original_name, size: file.size };
  }

  /** The file's bytes, checked as they are read. */
  source(file: FileRow) {
    return this.#o.store.source(file);
  }

  /** The key of the stored file that a URL names, or undefined when it names none of this server's. */
  resolveUrl(_userId: string, url: string): string | undefined {
    return keyOfUrl(url, this.#o.baseUrl(), this.#o.signer);
  }

  list(userId: string, filter: FileFilter) {
    const prefix = filter.prefix === undefined ? undefined : keyPrefix(userId, filter.prefix);
    const { rows: found, total } = listFiles(this.#o.db, userId, { ...filter, prefix });
    const pages = Math.ceil(total / filter.limit);
    return {
      files: found.map((row) => presentFile(row, this.#o.baseUrl())),
      folders: listFolders(this.#o.db, userId),
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

  change(
    userId: string,
    key: string,
    change: { public?: boolean | undefined; metadata?: Metadata | undefined },
  ): FileRow {
    const { db, clock } = this.#o;
    const row = this.requireOwn(userId, key);
    rows.updateFile(db, row, {
      ...(change.public === undefined ? {} : { public: change.public ? 1 : 0 }),
      ...(change.metadata === undefined ? {} : { metadata: metadataText(change.metadata) }),
      modified_at: clock.now(),
    });
    return this.requireOwn(userId, key);
  }

  /** Deletes a file for good, every copy of it; transcripts made from it keep their text. */
  async remove(userId: string, key: string): Promise<{ fileKey: string; deletedAt: string }> {
    const row = this.requireOwn(userId, key);
    await this.#delete(row);
    return { fileKey: row.key, deletedAt: isoTime(this.#o.clock.now()) };
  }

  /** Deletes all files of a user. */
  async removeAllOf(userId: string): Promise<void> {
    for (const row of rows.filesOfUser(this.#o.db, userId)) await this.#delete(row);
  }

  /** The storage usage of section 2.10 of the interface. */
  usage(userId: string) {
    const { bytes, files } = rows.storageUsage(this.#o.db, userId);
    const limit = this.#o.quota.limitOf(userId);
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

  #newRow({ staged, userId }: Intake, plan: FilePlan, key: string): FileRow {
    if (findUser(this.#o.db, userId) === undefined) {
      throw new AppError('unauthorized', 'The account was deleted while the file was on its way.');
    }
    const now = this.#o.clock.now();
    return {
      id: newId('file'),
      user_id: userId,
      key,
      object: staged.object,
      folder: plan.folder,
      original_name: plan.originalName,
      size: staged.size,
      mime_type: plan.chosen.mimeType,
      public: plan.public ? 1 : 0,
      metadata: plan.metadata,
      md5: staged.md5,
      sha256: staged.sha256,
      uploaded_at: now,
      modified_at: now,
    };
  }

  async #delete(row: FileRow): Promise<void> {
    const { db, store, events, onAudioGone } = this.#o;
    const gone = db.transaction(() => {
      const detached = this.#detachTranscripts(row.id);
      return rows.deleteFile(db, row.id) ? detached : undefined;
    });
    // Another request was faster; to this one the file is missing.
    if (gone === undefined) throw fileNotFound();
    events.publish(row.user_id, { type: 'file.deleted', key: row.key });
    for (const transcript of gone) onAudioGone(transcript);
    await store.discard(row.object);
  }

  /** A transcript that kept audio of its own, such as a bleeped form, still has that. */
  #detachTranscripts(fileId: string): AudioGone[] {
    const { db } = this.#o;
    return transcriptsOfFile(db, fileId).flatMap(({ id }) => {
      const transcript = findTranscript(db, id);
      if (transcript === undefined) return [];
      const isAudioGone = transcript.audioFile === null;
      const warnings = isAudioGone ? [...transcript.warnings, AUDIO_GONE] : transcript.warnings;
      updateTranscript(db, id, { fileId: null, warnings });
      return [{ userId: transcript.userId, transcriptId: id }];
    });
  }
}
