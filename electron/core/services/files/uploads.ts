import type { UploadPurpose } from '../../../contract/storage.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { formatBytes, roundMs } from '../../base/numbers.ts';
import {
  type ChosenType,
  checkContent,
  chooseType,
  guessRecordingType,
  recordingTypeOfContent,
  type SoundFormat,
  TextDetector,
} from '../../engines/scan/content.ts';
import { EicarDetector, type ScanEngine, type Scanner } from '../../engines/scan/scanner.ts';
import type { FileMetadata } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import { type FileRecord, findFileByKey, insertFile, isPresignedKey } from '../../stores/files.ts';
import type { StagedObject } from '../../stores/objects/staging.ts';
import type { ObjectStore } from '../../stores/objects/store.ts';
import { findUser } from '../../stores/users.ts';
import type { EventHub } from '../events.ts';
import type { SettingsService } from '../settings.ts';
import {
  buildKey,
  checkMetadata,
  originalName,
  parseFolder,
  type Quota,
  type Reservation,
  splitName,
} from './present.ts';

/** Largest stored file. */
export const MAX_FILE_BYTES = 1024 ** 3;

/** Free space that uploads leave on the disk, so that the database can go on writing. */
const MIN_FREE_BYTES = 64 * 1024 ** 2;
const CHECK_DISK_EVERY_BYTES = 32 * 1024 ** 2;

/** What the sender says about a file. */
export type FileInput = {
  readonly userId: string;
  readonly fileName: string;
  readonly declaredType: string;
  readonly folder?: string | undefined;
  readonly public?: boolean | undefined;
  readonly metadata?: FileMetadata | undefined;
  /** Default `storage`. */
  readonly purpose?: UploadPurpose | undefined;
};

/** The checked properties of a file to be stored. */
export type FileProperties = Pick<
  FileRecord,
  'userId' | 'folder' | 'originalName' | 'isPublic' | 'metadata'
> & {
  readonly type: ChosenType;
  /** For `transcription` the content decides the type, and `type` is a guess. */
  readonly purpose: UploadPurpose;
};

export type ReceiveOptions = {
  readonly userId: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
  /** The length that the sender announced, if any. */
  readonly expectedBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type CommitOptions = {
  /** Default: a new one. */
  readonly key?: string;
  /** Identity and times of a file that comes back from an export. */
  readonly restored?: Pick<FileRecord, 'id' | 'uploadedAt' | 'modifiedAt'>;
  /** Runs in the transaction that records the file. */
  readonly onCommit?: () => void;
};

export type UploadInfo = {
  /** Seconds. */
  readonly processing_time: number;
  readonly storage_region: string;
  readonly compression_applied: boolean;
  readonly scan: { readonly engine: ScanEngine; readonly clean: true };
};

export type StoredUpload = { readonly file: FileRecord; readonly info: UploadInfo };

export type UploadDeps = {
  readonly db: WritableDb;
  readonly store: ObjectStore;
  readonly scanner: Scanner;
  readonly quota: Quota;
  readonly settings: SettingsService;
  readonly events: EventHub;
  readonly clock: Clock;
  /** Asks ffmpeg about a recording whose signature is not known. */
  readonly soundFormat?: (path: string, name: string) => Promise<SoundFormat>;
};

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('file_too_large', `The file is larger than ${formatBytes(maxBytes)} (${maxBytes} bytes).`);

/** A key that no file has and no presigned upload reserves. */
export const newKey = ({ db, clock }: Pick<UploadDeps, 'db' | 'clock'>, file: FileProperties): string => {
  const { stem } = splitName(file.originalName);
  const parts = { userId: file.userId, folder: file.folder, stem, extension: file.type.extension };
  for (let time = clock.now(); ; time++) {
    const key = buildKey(parts, time);
    if (findFileByKey(db, key) === undefined && !isPresignedKey(db, key)) return key;
  }
};

type Received = {
  readonly staged: StagedObject;
  readonly userId: string;
  readonly reservation: Reservation;
  readonly canBeText: boolean;
  readonly hasEicar: boolean;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
};

/** A file's bytes, staged on disk: whole and flushed, but not yet a file. Ends with `commit` or `abort`. */
export class Upload {
  readonly #deps: UploadDeps;
  readonly #received: Received;

  constructor(deps: UploadDeps, received: Received) {
    this.#deps = deps;
    this.#received = received;
  }

  /** Hex. */
  get sha256(): string {
    return this.#received.staged.sha256;
  }

  /** Scans the bytes, checks them against the type, and makes them a file. Rejects with nothing left behind. */
  async commit(properties: FileProperties, options: CommitOptions = {}): Promise<StoredUpload> {
    const { staged } = this.#received;
    let engine: ScanEngine;
    let file: FileRecord;
    try {
      const type = await this.#checkType(properties);
      engine = await this.#scan();
      file = await staged.commit(() => this.#record({ ...properties, type }, options));
    } catch (error) {
      await this.abort();
      throw error;
    }
    this.#deps.events.publish(file.userId, { type: 'file.created', key: file.key });
    return { file, info: this.#info(engine) };
  }

  /** Removes the bytes and gives their part of the quota back. Has no effect after a commit. */
  async abort(): Promise<void> {
    this.#received.reservation.release();
    await this.#received.staged.abort();
  }

  /** The type of the content. Throws `infected_file`, `content_mismatch` or `unsupported_file_type`. */
  async #checkType({ type, purpose, originalName: name }: FileProperties): Promise<ChosenType> {
    const { staged, canBeText, hasEicar } = this.#received;
    if (hasEicar) {
      throw new AppError('infected_file', 'The file was refused: it contains the EICAR test signature.');
    }
    const check = { path: staged.path, size: staged.size, chosen: type, canBeText };
    if (purpose === 'transcription') {
      return recordingTypeOfContent(
        check,
        async () => (await this.#deps.soundFormat?.(staged.path, name)) ?? null,
      );
    }
    await checkContent(check);
    return type;
  }

  /** Throws `infected_file`; returns the scanner that found nothing. */
  async #scan(): Promise<ScanEngine> {
    const { scanner, settings } = this.#deps;
    const { staged } = this.#received;
    return scanner.scan(staged.path, staged.size, settings.get('storage.requireClamav'));
  }

  /** Inserts the file's row. From then on the row counts for the quota, and the reservation no longer does. */
  #record(properties: FileProperties, { key, restored, onCommit }: CommitOptions): FileRecord {
    const { db, clock } = this.#deps;
    const { staged, userId, reservation } = this.#received;
    const file = db.transaction(() => {
      if (findUser(db, userId) === undefined) {
        throw new AppError('unauthorized', 'The account was deleted while the file was on its way.');
      }
      const now = clock.now();
      const { type, purpose: _purpose, ...rest } = properties;
      const { object, size, md5, sha256 } = staged;
      const record: FileRecord = {
        ...rest,
        id: newId('file'),
        key: key ?? newKey(this.#deps, properties),
        object,
        size,
        mimeType: type.mimeType,
        md5,
        sha256,
        uploadedAt: now,
        modifiedAt: now,
        ...restored,
      };
      insertFile(db, record, staged.checksums);
      onCommit?.();
      return record;
    });
    reservation.release();
    return file;
  }

  #info(engine: ScanEngine): UploadInfo {
    const { store, clock } = this.#deps;
    return {
      processing_time: roundMs((clock.monotonic() - this.#received.startedAt) / 1000),
      storage_region: store.labels.join(', '),
      compression_applied: false,
      scan: { engine, clean: true },
    };
  }
}

/** Receives files under every limit. Whatever form a request has, its bytes come through here. */
export class UploadService {
  readonly #deps: UploadDeps;

  constructor(deps: UploadDeps) {
    this.#deps = deps;
  }

  /** Checks what a sender says about a file. Throws `invalid_request` or `unsupported_file_type`. */
  check(input: FileInput): FileProperties {
    const { purpose = 'storage' } = input;
    const choose = purpose === 'transcription' ? guessRecordingType : chooseType;
    return {
      userId: input.userId,
      folder: parseFolder(input.folder),
      originalName: originalName(input.fileName),
      type: choose(splitName(input.fileName).extension, input.declaredType),
      purpose,
      isPublic: input.public ?? false,
      metadata: checkMetadata(input.metadata ?? {}),
    };
  }

  /** Streams bytes to disk. Rejects as soon as they exceed a limit, with nothing left behind. */
  async receive({ userId, source, maxBytes, expectedBytes, signal }: ReceiveOptions): Promise<Upload> {
    const { store, quota, clock } = this.#deps;
    const startedAt = clock.monotonic();
    if (expectedBytes !== undefined) {
      if (expectedBytes > maxBytes) throw tooLarge(maxBytes);
      quota.check(userId, expectedBytes);
    }
    const reservation = quota.reserve(userId);
    const [eicar, text] = [new EicarDetector(), new TextDetector()];
    let size = 0;
    let nextDiskCheck = 0;
    try {
      const staged = await store.stage(source, async (chunk) => {
        signal?.throwIfAborted();
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        reservation.grow(chunk.length);
        if (size >= nextDiskCheck) {
          nextDiskCheck = size + CHECK_DISK_EVERY_BYTES;
          await this.requireDisk();
        }
        eicar.update(chunk);
        text.update(chunk);
      });
      const received = { staged, userId, reservation, canBeText: text.canBeText, hasEicar: eicar.isFound };
      return new Upload(this.#deps, { ...received, startedAt });
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** Stores a stream as a file: `check`, `receive` and `commit` in one call. */
  async store(
    input: FileInput & Pick<ReceiveOptions, 'source' | 'expectedBytes' | 'signal'>,
  ): Promise<StoredUpload> {
    const properties = this.check(input);
    const { userId, source, expectedBytes, signal } = input;
    const upload = await this.receive({ userId, source, maxBytes: MAX_FILE_BYTES, expectedBytes, signal });
    return upload.commit(properties);
  }

  /** Throws `disk_full` while there is too little space for uploads. */
  async requireDisk(): Promise<void> {
    if ((await this.#deps.store.freeBytes()) >= MIN_FREE_BYTES) return;
    throw new AppError('disk_full', 'The disk is full. Free some space and try again.');
  }
}
