import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** Removes every folder made so far: `setup.ts` calls it after each test file, a program at its exit. */
export const removeTemporaryFolders = (): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.clear();
};

process.once('exit', removeTemporaryFolders);

/** The path of a new, empty folder, which is removed after the test file, or when the program exits. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-test-'));
  folders.add(folder);
  return folder;
};
