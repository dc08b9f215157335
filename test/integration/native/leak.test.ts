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
    const [after50 = 0, after200 = 0]: number[] = JSON.parse(stdout);
    expect(after50).toBeGreaterThan(20 * MEGABYTE);
    // One job's state alone is larger than this.
    expect((after200 - after50) / MEGABYTE).toBeLessThan(8);
  });
});
