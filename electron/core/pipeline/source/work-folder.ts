import { renameSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobErrorCode } from '../../../contract/errors.ts';
import { isAppError, isCausedByFullDisk } from '../../base/errors.ts';
import { isTransientFailure } from '../../engines/ffmpeg/failures.ts';
import { reopenForRevalidation } from '../../engines/net/download.ts';
import type { Transcript } from '../../stores/codecs.ts';
import { findTranscript } from '../../stores/transcripts.ts';
import type { PipelineDeps } from '../deps.ts';

type Deps = Pick<PipelineDeps, 'db' | 'paths' | 'clock'>;

/** The file in the work folder with the download of `audio_url`. */
export const DOWNLOADED_FILE = 'source';
/** How long a failed job's download is kept for a retry. */
const MAX_AGE_MS = 24 * 3600 * 1000;
/** What all failed jobs together may keep; the oldest is removed first. */
const MAX_BYTES = 4e9;
/** Failures that a retry with the same recording may not meet again. */
const RETRYABLE_CODES: readonly JobErrorCode[] = ['engine_crashed', 'engine_unavailable', 'interrupted'];

/** The job's folder for files that are needed only while it runs. */
export const workFolder = (deps: Pick<Deps, 'paths'>, transcript: Pick<Transcript, 'id'>): string =>
  join(deps.paths.temporary, transcript.id);

export const removeWorkFolder = (
  deps: Pick<Deps, 'paths'>,
  transcript: Pick<Transcript, 'id'>,
): Promise<void> => rm(workFolder(deps, transcript), { recursive: true, force: true });

const isRetryable = (error: unknown): boolean =>
  isCausedByFullDisk(error) ||
  isTransientFailure(error) ||
  (isAppError(error) && RETRYABLE_CODES.some((code) => code === error.code));

/**
 * Keeps a failed job's download for a retry if the recording is not to blame for the failure and its server can prove
 * later that it has not changed; else removes it.
 */
export const keepForRetry = async (deps: Deps, transcript: Transcript, error: unknown): Promise<void> => {
  // Nothing unredacted may stay.
  const isKept =
    isRetryable(error) &&
    !transcript.options.redact_pii &&
    (await reopenForRevalidation(join(workFolder(deps, transcript), DOWNLOADED_FILE)));
  if (!isKept) await removeWorkFolder(deps, transcript);
};

/** When the job failed, if its folder may stay; else undefined. */
const keptSince = ({ db, clock }: Deps, id: string): number | undefined => {
  const transcript = findTranscript(db, id);
  if (transcript?.status !== 'failed' || transcript.completedAt === null) return undefined;
  return clock.now() - transcript.completedAt < MAX_AGE_MS ? transcript.completedAt : undefined;
};

const bytesIn = async (folder: string): Promise<number> => {
  const sizes = (await readdir(folder)).map(
    // A job that is retried meanwhile may remove its files.
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** Removes the folders of finished jobs, and those kept for a retry that are too old or take too much space. */
export const pruneWorkFolders = async (deps: Deps): Promise<void> => {
  const names = await readdir(deps.paths.temporary);
  const kept: { id: string; since: number; bytes: number }[] = [];
  for (const id of names) {
    const since = keptSince(deps, id);
    if (since !== undefined) kept.push({ id, since, bytes: await bytesIn(workFolder(deps, { id })) });
  }
  kept.sort((a, b) => b.since - a.since);
  let bytes = 0;
  const staying = new Set(
    kept
      .filter((folder) => {
        bytes += folder.bytes;
        return bytes <= MAX_BYTES;
      })
      .map(({ id }) => id),
  );
  for (const id of names) {
    if (staying.has(id) || findTranscript(deps.db, id)?.status === 'processing') continue;
    const folder = workFolder(deps, { id });
    // Rename synchronously, right after checking the job: it could be retried while its files are being removed.
    const doomed = id.endsWith('.gone') ? folder : `${folder}.gone`;
    renameSync(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
  }
};
