import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { testAddon } from '../../support/addon.ts';
import { STARTER_MODEL } from '../../support/paths.ts';

vi.setConfig({ testTimeout: 300_000 });

const MEGABYTE = 1024 * 1024;
/** Memory is even after some ten jobs. Audio that is left behind shows after fewer jobs if it is longer. */
const [JOBS, WARM_UP, SECONDS] = [70, 20, 6];

describe('memory', () => {
  it(`does not grow over ${JOBS} jobs on one model`, async () => {
    const child = fileURLToPath(new URL('./leak-child.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      child,
      await testAddon(),
      STARTER_MODEL,
      ...[JOBS, WARM_UP, SECONDS].map(String),
    ]);
    const [early = 0, late = 0]: number[] = JSON.parse(stdout);
    expect(early).toBeGreaterThan(20 * MEGABYTE);
    // One job's state alone is larger than this, and the audio of the 30 jobs or more between is 11 MB or more.
    expect((late - early) / MEGABYTE).toBeLessThan(8);
  });
});
