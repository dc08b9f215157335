import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Parts of the names of the files that take longest, the longest first: none of them is to be left for the end. */
const LONGEST = [
  '/faults/',
  'word-error-rate',
  'e2e/screens',
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
  const index = LONGEST.findIndex((part) => moduleId.includes(part));
  return index === -1 ? LONGEST.length : index;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  plugins: [react()],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/bench/**', '**/node_modules/**'],
    // Tests look from outside and leave nothing behind in their process: the next file need not start another one.
    isolate: false,
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    // Processes, not threads: the tests load native code, change the environment and start servers.
    pool: 'forks',
    // One more than two cores: the tests in the browser wait more than they compute.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A busy machine takes its time; what never comes is told apart all the same.
    expect: { poll: { timeout: 20_000 } },
    retry: 0,
    // The slowest file decides; a hanging one must not hold the whole run for long.
    teardownTimeout: 20_000,
  },
});
