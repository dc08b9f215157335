import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { systemCode } from '../../base/errors.ts';

const ResumeState = z.object({
  version: z.literal(1),
  url: z.string(),
  /** Bytes of the partial file that are known to be on the disk. */
  bytes: z.int().min(0),
  total: z.int().min(0).nullable(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
});

/** What a later call, perhaps of another process, needs to go on with a partial file. */
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
    // Cut off by a crash while it was written: start over.
    return null;
  }
};

/** The state left by an earlier call for the same URL, or null where there is nothing to go on with. */
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

const noteOf = (destination: string): string => `${destination}.again.json`;

/** Notes beside a whole file how a server can prove later that it is still the same there; where it can. */
export const noteWhole = async (
  destination: string,
  { url, bytes, etag, lastModified }: Pick<ResumeState, 'url' | 'bytes' | 'etag' | 'lastModified'>,
): Promise<void> => {
  if (bytes < 2 || (etag === null && lastModified === null)) return;
  const state: ResumeState = { version: 1, url, bytes: bytes - 1, total: bytes, etag, lastModified };
  await writeFile(noteOf(destination), JSON.stringify(state), { mode: 0o600 });
};

/**
 * Makes a whole file one that lacks its last byte: the next download asks for that byte alone, and gets the
 * whole file where it has changed. False, with nothing done, where the server could not prove it.
 */
export const reopenWhole = async (destination: string): Promise<boolean> => {
  try {
    await rename(noteOf(destination), sidecarOf(destination));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
};
