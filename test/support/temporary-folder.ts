import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own; `remove` takes it away with everything in it. */
export const temporaryFolder = async (): Promise<{ path: string; remove: () => Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), 'earshot-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
