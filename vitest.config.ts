import { availableParallelism } from 'node:os';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Parts of files' names: what every new user does comes first of all, then the slowest files, since a slow file that
 * starts last would make every worker wait for it.
 */
const FIRST = [
  'e2e/first-start',
  '/faults/',
  'http/long-jobs',
  'main/package',
  'http/jobs/verify',
  'cli/cli.test',
  'http/responsiveness',
  'e2e/screens',
  'fuzz/contract',
  'http/erasure',
  'word-error-rate',
  'http/setting-limits',
  'http/analyses/redaction',
  'fuzz/',
  'e2e/',
  'integration/native/',
  'http/analyses/',
  'http/guide/',
  'integration/cli/',
  'http/jobs/',
  'http/',
  'integration/',
];
const rank = ({ moduleId }: TestSpecification): number => {
  const index = FIRST.findIndex((part) => moduleId.includes(part));
  return index === -1 ? FIRST.length : index;
};

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const UNIT = 'test/unit/**/*.test.{ts,tsx}';
const DESKTOP = 'test/desktop/*.test.ts';
/** What takes too long for every run: `npm run test:nightly`. */
const NIGHTLY = 'test/**/*.nightly.test.ts';

const ENGINE_SETUP = ['test/support/run-folder.ts', 'test/support/build-addon.ts', 'test/support/halts.ts'];

/** What the projects have in common. */
const shared = {
  setupFiles: 'test/support/setup.ts',
  // A test cleans up after itself, so that the next file can use the same process with its modules loaded.
  isolate: false,
  // Processes, not threads: the tests load native code, change the environment and start servers.
  pool: 'forks',
  // Only for what never ends: on a busy machine a test of seconds takes minutes.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // A look into a page takes work from what it waits for; at vitest's 50 ms it took a twentieth of the window's tests.
  expect: { poll: { timeout: 90_000, interval: 150 } },
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [react()],
        test: { ...shared, name: 'unit', include: [UNIT], globalSetup: ['test/support/run-folder.ts'] },
      },
      {
        test: {
          ...shared,
          name: 'whole',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [UNIT, DESKTOP, NIGHTLY, '**/node_modules/**'],
          globalSetup: ENGINE_SETUP,
        },
      },
      { test: { ...shared, name: 'nightly', include: [NIGHTLY], globalSetup: ENGINE_SETUP } },
      {
        test: {
          ...shared,
          name: 'desktop',
          include: [DESKTOP],
          globalSetup: ['test/support/run-folder.ts', 'test/desktop/setup.ts'],
          // After all others and one at a time: the window that has the focus gets the keys.
          sequence: { groupOrder: 1 },
          maxWorkers: 1,
        },
      },
    ],
    reporters: ['default', './test/support/summary-reporter.ts'],
    sequence: { sequencer: InOrder },
    // Most files wait more than they compute, for their servers and for time to pass; each takes up to a gigabyte.
    maxWorkers: Math.min(2 * availableParallelism() + 1, 8),
    retry: 0,
    // Teardown must not hold the run for long when a file hangs.
    teardownTimeout: 20_000,
  },
});
