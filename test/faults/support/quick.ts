import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../support/random.ts';
import { ALL_FAULTS } from '../all.ts';
import { type Fault, FaultContext, FaultRun } from './context.ts';

const SEED = 5;

/** Declares a test for each fault that is part of `npm test`; `model` recognizes the recordings. */
export const testQuickFaults = (faults: readonly Fault[], model?: FaultRun['model']): void => {
  const run = new FaultRun(model);
  let context: FaultContext | undefined;

  afterEach(async () => {
    await context?.close();
    context = undefined;
  });

  afterAll(() => run.close());

  describe('faults', () => {
    for (const fault of faults) {
      if (!fault.quick) continue;
      it(fault.name, async () => {
        context = await FaultContext.open(createRandom(SEED + ALL_FAULTS.indexOf(fault)), run);
        expect(await fault.run(context)).toBeTruthy();
      });
    }
  });
};
