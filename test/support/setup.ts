import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, type RunnerTestFile } from 'vitest';
import { printDescriptions } from './after-failure.ts';
import { cleanUpFile } from './after-file.ts';
import { PROCESSOR_SECONDS, processorSeconds } from './processor-time.ts';
import { SEED } from './random.ts';
import { removeTemporaryFolders } from './temporary-folder.ts';

fc.configureGlobal({ seed: SEED });
const before = processorSeconds();
let file: RunnerTestFile | undefined;
beforeEach(({ task }) => {
  file = task.file;
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await printDescriptions(task.name);
});
// Hooks run last in, first out: this one runs after the file's own, which stop the servers that use the folders.
afterAll(async () => {
  await cleanUpFile();
  removeTemporaryFolders();
  const after = processorSeconds();
  if (before !== undefined && after !== undefined && file !== undefined)
    Reflect.set(file.meta, PROCESSOR_SECONDS, after - before);
});
