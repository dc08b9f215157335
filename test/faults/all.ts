import { dataFaults } from './data-faults.ts';
import { engineFaults } from './engine-faults.ts';
import { jobFaults } from './job-faults.ts';
import { killFaults } from './kill-faults.ts';
import { longFaults } from './long-faults.ts';
import { serverFaults } from './server-faults.ts';
import { stageFaults } from './stage-faults.ts';
import type { Fault } from './support/context.ts';
import { urlFaults } from './url-faults.ts';

/** Every fault that the service must survive. */
export const ALL_FAULTS: readonly Fault[] = [
  ...urlFaults,
  ...stageFaults,
  ...jobFaults,
  ...engineFaults,
  ...dataFaults,
  ...serverFaults,
  ...killFaults,
  ...longFaults,
];
