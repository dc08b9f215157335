import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/bench/**', 'test/faults/long/**', '**/node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
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
