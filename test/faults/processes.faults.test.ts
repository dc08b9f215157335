import { engineFaults } from './engine-faults.ts';
import { jobFaults } from './job-faults.ts';
import { killFaults } from './kill-faults.ts';
import { longFaults } from './long-faults.ts';
import { serverFaults } from './server-faults.ts';
import { testQuickFaults } from './support/quick.ts';

testQuickFaults([...jobFaults, ...engineFaults, ...serverFaults, ...killFaults, ...longFaults]);
