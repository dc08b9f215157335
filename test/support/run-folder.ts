import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const PREFIX = 'earshot-tests-';

/**
 * Gives the run a temporary folder of its own, one for all projects, and removes it at the end, with whatever killed processes
 * left there: theirs do not remove anything. Folders inside each other would be too deep for Chromium's sockets.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  process.env.TMPDIR = folder;
  // A browser that ends with its process may still be writing its profile.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
