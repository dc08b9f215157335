import { afterEach, describe, expect, it } from 'vitest';
import { ALL_FAULTS } from './all.ts';
import { FaultContext } from './support/context.ts';
import { seeded } from './support/random.ts';

const SEED = 5;
const truths = new Map<string, string>();
let context: FaultContext | undefined;

afterEach(async () => {
  await context?.close();
  context = undefined;
});

describe('faults', () => {
  it('has at least 25, each under a name of its own', () => {
    expect(ALL_FAULTS.length).toBeGreaterThanOrEqual(25);
    expect(new Set(ALL_FAULTS.map(({ name }) => name)).size).toBe(ALL_FAULTS.length);
  });

  for (const [index, fault] of ALL_FAULTS.entries()) {
    if (!fault.quick) continue;
    it(fault.name, { timeout: 240_000 }, async () => {
      context = await FaultContext.open(seeded(SEED + index), truths);
      expect(await fault.run(context)).toBeTruthy();
    });
  }
});
