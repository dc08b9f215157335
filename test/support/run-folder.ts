import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives the run a temporary folder of its own and removes it at the end, with whatever killed processes left there: theirs
 * do not remove anything.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'earshot-tests-'));
  process.env.TMPDIR = folder;
  // A browser that ends with its process may still be writing its profile.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
