import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { Metadata } from '../../../contract/common.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { KeyedLock } from '../../base/in-order.ts';
import type { Logger } from '../../base/logger.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type FileRecord, findFile } from '../../stores/files.ts';
import type { RecordingFolder } from '../../stores/objects/staging.ts';
import { findUser } from '../../stores/users.ts';
import type { Quota, Reservation } from './present.ts';
import { type FileInput, MAX_FILE_BYTES, tooLarge, type UploadService } from './uploads.ts';

const TICK_MS = 1000;
/** How long the sender of a recording has to go on after a restart. */
const GRACE_MS = 30_000;
/** Content that cannot become a file, now or later. */
const REFUSED = ['infected_file', 'content_mismatch', 'unsupported_file_type', 'unsupported_media_type'];

/** What is kept of a recording beside its bytes. */
const Description = z.object({
  userId: z.string(),
  fileName: z.string(),
  declaredType: z.string(),
  folder: z.string().optional(),
  metadata: Metadata,
  /** Milliseconds since the epoch. */
  startedAt: z.int(),
  timeoutSeconds: z.int(),
});
type Description = z.output<typeof Description>;

type OpenRecording = {
  readonly id: string;
  readonly description: Description;
  readonly reservation: Reservation;
  /** Bytes on the disk. */
  size: number;
  /** Time without a chunk while this process ran, so that a suspended computer ends no recording. */
  idleMs: number;
};

export type StartOptions = Pick<FileInput, 'userId' | 'fileName' | 'declaredType' | 'folder' | 'metadata'> & {
  readonly timeoutSeconds: number;
};

type RecordingDeps = {
  readonly db: ReadableDb;
  readonly folder: RecordingFolder;
  readonly uploads: UploadService;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly logger: Logger;
};

const notFound = (): AppError => new AppError('file_not_found', 'There is no such recording in progress.');

const isLeft = ({ idleMs, description }: OpenRecording): boolean =>
  idleMs >= description.timeoutSeconds * 1000;

const present = ({ id, description, size }: OpenRecording) => ({
  id,
  filename: description.fileName,
  startedAt: isoTime(description.startedAt),
  offset: size,
  timeoutSeconds: description.timeoutSeconds,
});

/** Stores recordings chunk by chunk while they are made. One that its sender left becomes a file by itself. */
export class RecordingService {
  readonly #deps: RecordingDeps;
  readonly #recordings = new Map<string, OpenRecording>();
  /** By id. A window that is closed finishes its recording while its last chunk is still being written. */
  readonly #changes = new KeyedLock();
  #timer: NodeJS.Timeout | undefined;
  #tick: Promise<void> | undefined;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
  }

  /** Takes up the recordings of the last run, and from then on looks after those that were left. */
  async open(): Promise<void> {
    const { folder, logger } = this.#deps;
    for (const { id, description: text, size } of await folder.list()) {
      const { data: description } = Description.safeParse(parseJson(text));
      if (description === undefined) {
        logger.warn({ recording: id }, 'A recording in progress has no readable description');
        continue;
      }
      // The file was recorded before the run ended, but its chunks were not removed.
      if (findFile(this.#deps.db, id) === undefined) {
        const idleMs = Math.max(0, description.timeoutSeconds * 1000 - GRACE_MS);
        this.#add(id, description, size, idleMs);
      } else await folder.remove(id);
    }
    this.#timer = setInterval(() => {
      this.#tick ??= this.#look().finally(() => {
        this.#tick = undefined;
      });
    }, TICK_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tick;
  }

  /** Throws `invalid_request` or `unsupported_file_type`. */
  async start({ timeoutSeconds, ...input }: StartOptions) {
    const { uploads, folder, clock } = this.#deps;
    uploads.check({ ...input, purpose: 'transcription' });
    await uploads.requireDisk();
    const description = {
      ...input,
      metadata: input.metadata ?? {},
      startedAt: clock.now(),
      timeoutSeconds,
    };
    const id = newId('file');
    await folder.create(id, JSON.stringify(description));
    return present(this.#add(id, description, 0, 0));
  }

  get(userId: string, id: string) {
    return present(this.#require(userId, id));
  }

  /** Appends a chunk durably. Throws `conflict` if the stored bytes do not end at `offset`. */
  append(userId: string, id: string, offset: number, chunk: Uint8Array) {
    return this.#change(userId, id, async (recording) => {
      if (offset !== recording.size) {
        const message = `The recording has ${recording.size} bytes; go on from there.`;
        throw new AppError('conflict', message);
      }
      if (offset + chunk.length > MAX_FILE_BYTES) throw tooLarge(MAX_FILE_BYTES);
      if (chunk.length > 0) await this.#write(recording, chunk);
      return present(recording);
    });
  }

  /** Makes a recording a file; as a recovered one if it was interrupted. */
  finish(userId: string, id: string, isInterrupted: boolean): Promise<FileRecord> {
    return this.#changes.run(id, async () => {
      const stored = findFile(this.#deps.db, id);
      if (stored?.userId === userId) return stored;
      return this.#touch(this.#require(userId, id), (recording) => this.#store(recording, isInterrupted));
    });
  }

  discard(userId: string, id: string): Promise<{ id: string }> {
    return this.#change(userId, id, async (recording) => {
      await this.#remove(recording);
      return { id };
    });
  }

  /** Discards what a user was recording. */
  async removeAllOf(userId: string): Promise<void> {
    const own = [...this.#recordings.values()].filter(({ description }) => description.userId === userId);
    for (const recording of own) await this.#remove(recording);
  }

  #add(id: string, description: Description, size: number, idleMs: number): OpenRecording {
    const reservation = this.#deps.quota.reserve(description.userId);
    reservation.add(size);
    const recording = { id, description, reservation, size, idleMs };
    this.#recordings.set(id, recording);
    return recording;
  }

  #require(userId: string, id: string): OpenRecording {
    const recording = this.#recordings.get(id);
    if (recording?.description.userId !== userId) throw notFound();
    return recording;
  }

  /** Runs `work` after the changes before it. Throws `file_not_found` if they ended the recording. */
  #change<T>(userId: string, id: string, work: (recording: OpenRecording) => Promise<T>): Promise<T> {
    return this.#changes.run(id, () => this.#touch(this.#require(userId, id), work));
  }

  /** Runs `work` as a sign of life. */
  async #touch<T>(recording: OpenRecording, work: (recording: OpenRecording) => Promise<T>): Promise<T> {
    try {
      return await work(recording);
    } finally {
      recording.idleMs = 0;
    }
  }

  async #write(recording: OpenRecording, chunk: Uint8Array): Promise<void> {
    const { uploads, folder } = this.#deps;
    await uploads.requireDisk();
    recording.reservation.grow(chunk.length);
    try {
      await folder.append(recording.id, recording.size, chunk);
    } catch (error) {
      recording.reservation.add(-chunk.length);
      throw error;
    }
    recording.size += chunk.length;
  }

  async #store(recording: OpenRecording, isInterrupted: boolean): Promise<FileRecord> {
    const { uploads, folder, clock } = this.#deps;
    const { id, size, reservation, description } = recording;
    if (size === 0) throw new AppError('conflict', 'The recording has no sound yet.');
    const { startedAt: _, timeoutSeconds: __, ...input } = description;
    const properties = uploads.check({
      ...input,
      purpose: 'transcription',
      ...(isInterrupted
        ? { fileName: `Recovered ${input.fileName}`, metadata: { ...input.metadata, recovered: true } }
        : {}),
    });
    // The upload reserves the same bytes.
    reservation.add(-size);
    try {
      const source = createReadStream(folder.pathOf(id));
      const upload = await uploads.receive({ userId: input.userId, source, maxBytes: MAX_FILE_BYTES });
      const now = clock.now();
      const { file } = await upload.commit(properties, {
        restored: { id, uploadedAt: now, modifiedAt: now },
      });
      await this.#remove(recording);
      return file;
    } finally {
      if (this.#recordings.has(id)) reservation.add(size);
    }
  }

  async #remove({ id, reservation }: OpenRecording): Promise<void> {
    await this.#deps.folder.remove(id);
    this.#recordings.delete(id);
    reservation.release();
  }

  async #look(): Promise<void> {
    for (const recording of [...this.#recordings.values()]) {
      recording.idleMs += TICK_MS;
      if (!isLeft(recording)) continue;
      await this.#changes
        .run(recording.id, () => this.#recoverIfLeft(recording))
        .catch((error: unknown) => {
          this.#deps.logger.warn(
            { recording: recording.id, reason: messageOf(error) },
            'A recording that was left could not be stored yet',
          );
        });
    }
  }

  async #recoverIfLeft(recording: OpenRecording): Promise<void> {
    // A change before this one was a sign of life, or ended it.
    if (isLeft(recording) && this.#recordings.get(recording.id) === recording)
      await this.#touch(recording, () => this.#recover(recording));
  }

  /** Makes a recording that its sender left a file. What cannot be one is removed, as a failed upload is. */
  async #recover(recording: OpenRecording): Promise<void> {
    const { db, logger } = this.#deps;
    if (recording.size === 0 || findUser(db, recording.description.userId) === undefined) {
      return this.#remove(recording);
    }
    try {
      await this.#store(recording, true);
      logger.info({ recording: recording.id }, 'A recording that was left became a file');
    } catch (error) {
      if (!isAppError(error) || !REFUSED.includes(error.code)) throw error;
      logger.warn({ recording: recording.id, code: error.code }, 'A recording that was left is refused');
      await this.#remove(recording);
    }
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Cut by a power failure: described by nothing.
    return undefined;
  }
};
