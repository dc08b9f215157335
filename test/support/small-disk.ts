import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** Mounts a tmpfs of `megabytes`; undefined if that is not allowed. */
export const smallDisk = async (
  megabytes: number,
): Promise<{ path: string; makeReadOnly: () => void; release: () => Promise<void> } | undefined> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const path = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    // Root in a container may not mount.
    return undefined;
  }
  const release = async () => {
    execFileSync('umount', ['-l', path]);
  };
  const makeReadOnly = () => {
    execFileSync('mount', ['-o', 'remount,ro', path]);
  };
  return { path, makeReadOnly, release };
};

/** Fills the disk; returns a function that frees it again. */
export const fillDisk = async (folder: string): Promise<() => Promise<void>> => {
  const path = join(folder, 'filler');
  const file = await open(path, 'w');
  const block = Buffer.alloc(16 * 1024, 1);
  try {
    for (;;) await file.write(block);
  } catch {
    // The disk is full now.
  } finally {
    await file.close();
  }
  return () => rm(path, { force: true });
};
