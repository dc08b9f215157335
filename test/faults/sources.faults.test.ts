import { expect, it } from 'vitest';
import { ALL_FAULTS } from './all.ts';
import { dataFaults } from './data-faults.ts';
import { stageFaults } from './stage-faults.ts';
import { testQuickFaults } from './support/quick.ts';
import { urlFaults } from './url-faults.ts';

it('there are at least 25 faults, each with its own name', () => {
  expect(ALL_FAULTS.length).toBeGreaterThanOrEqual(25);
  expect(new Set(ALL_FAULTS.map(({ name }) => name)).size).toBe(ALL_FAULTS.length);
});

const others = [...dataFaults, ...stageFaults];
// The two downloads cost less on the server of the others than with a quicker model on one of their own.
testQuickFaults([...urlFaults, ...others]);
