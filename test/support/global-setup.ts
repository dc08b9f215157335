import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addonPath, buildAddon } from '../../native/build.mjs';

/**
 * Tells all tests where the speech engine is; builds it once if vitest was started without the set-up. Whatever the
 * tests put into the temporary folder, killed servers' folders included, lies in one of their own, which goes at the end.
 */
export default async function setup(): Promise<() => Promise<void>> {
  process.env.EARSHOT_ADDON ??=
    addonPath() ?? (await buildAddon({ log: (line) => process.stderr.write(`${line}\n`) }));
  const folder = await mkdtemp(join(tmpdir(), 'earshot-tests-'));
  process.env.TMPDIR = folder;
  // A browser that ends with its process may still be writing its profile.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
