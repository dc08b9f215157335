import { expect, it } from 'vitest';
import { workerEnvironment } from '../../../electron/core/base/child-process.ts';

it('keeps the key, and what is meant for the service itself, from the processes of engines', () => {
  const meantForTheService = {
    EARSHOT_API_KEY: 'secret',
    MALLOC_MMAP_THRESHOLD_: '1048576',
    NODE_OPTIONS: '--watch',
    WATCH_REPORT_DEPENDENCIES: '1',
  };
  expect(workerEnvironment({ PATH: '/bin', ...meantForTheService })).toEqual({ PATH: '/bin' });
});
