import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { testAddon } from '../../support/addon.ts';
import { STARTER_MODEL } from '../../support/paths.ts';

vi.setConfig({ testTimeout: 300_000 });

const MEGABYTE = 1024 * 1024;

describe('memory', () => {
  it('does not grow over 200 jobs on one model', async () => {
    const child = fileURLToPath(new URL('./leak-child.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      child,
      await testAddon(),
      STARTER_MODEL,
    ]);
    const [early = 0, late = 0]: number[] = JSON.parse(stdout);
    expect(early).toBeGreaterThan(20 * MEGABYTE);
    // One job's state alone is larger than this, and the audio of the 140 jobs between is 26 MB.
    expect((late - early) / MEGABYTE).toBeLessThan(8);
  });
});
