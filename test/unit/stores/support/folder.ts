import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder that is removed after the running test. */
export const newFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'earshot-stores-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
