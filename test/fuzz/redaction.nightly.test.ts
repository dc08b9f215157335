import fc from 'fast-check';
import { it } from 'vitest';
import { SEED } from '../support/random.ts';
import { expectStable, redactionCases } from '../unit/analysis/support/stability.ts';

/** The first 50 are those of test/unit/analysis/redaction-fixed-point.test.ts. */
const CASES = 10_000;

it(`redaction is stable under repetition in ${CASES} cases (seed ${SEED})`, {
  timeout: 1_200_000,
}, async () => {
  await fc.assert(fc.asyncProperty(redactionCases, expectStable), { seed: SEED, numRuns: CASES });
});
