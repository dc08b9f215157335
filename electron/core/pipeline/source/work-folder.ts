import { renameSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobErrorCode } from '../../../contract/errors.ts';
import { isAppError, isFullDisk } from '../../base/errors.ts';
import { isTransientFailure } from '../../engines/ffmpeg/failures.ts';
import { reopenForRevalidation } from '../../engines/net/resume-state.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import { findTranscript } from '../../stores/transcripts.ts';
import type { PipelineDeps } from '../deps.ts';

type Deps = Pick<PipelineDeps, 'db' | 'paths' | 'clock'>;

/** What a download is called in its job's folder. */
export const DOWNLOADED = 'source';
/** For so long a failed job finds again what was fetched for it. */
const KEPT_MS = 24 * 3600 * 1000;
/** As much as failed jobs may keep together; the oldest goes first. */
const KEPT_BYTES = 4e9;
/** Failures that another try may not have, with the same recording. */
const WORTH_KEEPING: readonly JobErrorCode[] = ['engine_crashed', 'engine_unavailable', 'interrupted'];

/** The job's own folder for what is needed only while it runs. */
export const workFolder = (deps: Pick<Deps, 'paths'>, transcript: Pick<Transcript, 'id'>): string =>
  join(deps.paths.temporary, transcript.id);

/** Removes what was needed only while the job ran. */
export const cleanUp = (deps: Pick<Deps, 'paths'>, transcript: Pick<Transcript, 'id'>): Promise<void> =>
  rm(workFolder(deps, transcript), { recursive: true, force: true });

const isWorthKeeping = (error: unknown): boolean =>
  isFullDisk(error) ||
  isTransientFailure(error) ||
  (isAppError(error) && WORTH_KEEPING.some((code) => code === error.code));

/**
 * Leaves a failed job's recording for another try where the failure was not its fault and its server can prove
 * that it is still the same; else removes it.
 */
export const leaveForRetry = async (deps: Deps, transcript: Transcript, error: unknown): Promise<void> => {
  // Of what is to be redacted nothing is left behind.
  const kept =
    isWorthKeeping(error) &&
    !transcript.options.redact_pii &&
    (await reopenForRevalidation(join(workFolder(deps, transcript), DOWNLOADED)));
  if (!kept) await cleanUp(deps, transcript);
};

/** When a job failed whose folder may stay; undefined where the folder is nobody's. */
const keptSince = ({ db, clock }: Deps, id: string): number | undefined => {
  const transcript = findTranscript(db, id);
  if (transcript?.status !== 'failed' || transcript.completedAt === null) return undefined;
  return clock.now() - transcript.completedAt < KEPT_MS ? transcript.completedAt : undefined;
};

const bytesIn = async (folder: string): Promise<number> => {
  const sizes = (await readdir(folder)).map(
    // A job that is begun again meanwhile takes its files away.
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** Removes the folders that no job needs any more, and those for another try that are too old or too much. */
export const pruneWork = async (deps: Deps): Promise<void> => {
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
        return bytes <= KEPT_BYTES;
      })
      .map(({ id }) => id),
  );
  for (const id of names) {
    if (staying.has(id) || findTranscript(deps.db, id)?.status === 'processing') continue;
    const folder = workFolder(deps, { id });
    // At once, in the same turn as the look at the job: it could be begun again while its files go one by one.
    const doomed = id.endsWith('.gone') ? folder : `${folder}.gone`;
    renameSync(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
  }
};
