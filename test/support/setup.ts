import fc from 'fast-check';
import { afterAll } from 'vitest';
import { cleanUpFile } from './after-file.ts';
import { SEED } from './random.ts';
import { removeTemporaryFolders } from './temporary-folder.ts';

fc.configureGlobal({ seed: SEED });
// Hooks run last in, first out: this one runs after the file's own, which stop the servers that use the folders.
afterAll(async () => {
  await cleanUpFile();
  removeTemporaryFolders();
});
