import { describe, expect, it } from 'vitest';
import { runFaults } from '../../faults/uploads.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('aborted uploads and a killed server', () => {
  it('leave whole files with their rows and nothing else', async () => {
    const { problems, rows, acknowledged } = await runFaults(temporaryFolder(), 8, 1);
    expect(problems).toEqual([]);
    expect(rows).toBeGreaterThanOrEqual(acknowledged);
    expect(acknowledged).toBeGreaterThan(0);
  });
});
