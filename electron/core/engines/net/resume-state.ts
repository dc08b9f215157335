import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { systemCode } from '../../base/errors.ts';

const ResumeState = z.object({
  version: z.literal(1),
  url: z.string(),
  /** Bytes of the partial file that have been flushed to the disk. */
  bytes: z.int().min(0),
  total: z.int().min(0).nullable(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
});

/** What a later call, perhaps in another process, needs to resume a partial file. */
export type ResumeState = z.output<typeof ResumeState>;

const sidecarOf = (destination: string): string => `${destination}.resume.json`;

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
};

const parseState = (text: string): ResumeState | null => {
  try {
    return ResumeState.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Truncated by a crash while it was written: start again.
    return null;
  }
};

/** The state of an earlier call for the same URL, or null if there is nothing to resume. */
export const loadResumeState = async (destination: string, url: string): Promise<ResumeState | null> => {
  let text: string;
  try {
    text = await readFile(sidecarOf(destination), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  const state = parseState(text);
  if (state === null || state.url !== url || state.bytes === 0) return null;
  return (await sizeOf(destination)) >= state.bytes ? state : null;
};

export const saveResumeState = async (destination: string, state: ResumeState): Promise<void> => {
  const path = sidecarOf(destination);
  await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${path}.new`, path);
};

export const removeResumeState = async (destination: string): Promise<void> => {
  await rm(sidecarOf(destination), { force: true });
  await rm(`${sidecarOf(destination)}.new`, { force: true });
};

const revalidationPath = (destination: string): string => `${destination}.again.json`;

/** Saves, beside a complete file, the validator by which its server can prove later that it has not changed. */
export const saveRevalidationState = async (
  destination: string,
  { url, bytes, etag, lastModified }: Pick<ResumeState, 'url' | 'bytes' | 'etag' | 'lastModified'>,
): Promise<void> => {
  if (bytes < 2 || (etag === null && lastModified === null)) return;
  const state: ResumeState = { version: 1, url, bytes: bytes - 1, total: bytes, etag, lastModified };
  await writeFile(revalidationPath(destination), JSON.stringify(state), { mode: 0o600 });
};

/**
 * Turns a complete file into a partial one that lacks its last byte: the next download requests that byte alone, and
 * gets the whole file if it has changed. Returns false, and does nothing, if there is no validator.
 */
export const reopenForRevalidation = async (destination: string): Promise<boolean> => {
  try {
    await rename(revalidationPath(destination), sidecarOf(destination));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
};
