// `npm run faults [-- --seed N] [--kills N] [--only TEXT]… [--quick]`: runs every fault against the real server, prints a table.

import { parseArgs } from 'node:util';
import { createRandom } from '../support/random.ts';
import { ALL_FAULTS } from './all.ts';
import { FaultContext, FaultRun } from './support/context.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '5' },
    kills: { type: 'string', default: '100' },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

process.env.FAULT_KILLS = values.kills;
const seed = Number(values.seed);
const only = values.only?.map((text) => text.toLowerCase());
const chosen = ALL_FAULTS.filter(
  (fault) =>
    (only === undefined || only.some((text) => fault.name.toLowerCase().includes(text))) &&
    (!values.quick || fault.quick),
);
const run = new FaultRun();
print(`${chosen.length} faults, seed ${seed}\n`);
print('| # | fault | held | seconds | what was seen |');
print('|---|---|---|---|---|');
let broken = 0;
for (const [index, fault] of chosen.entries()) {
  const context = await FaultContext.open(createRandom(seed + index), run);
  const started = performance.now();
  let seen: string;
  let held = true;
  try {
    seen = await fault.run(context);
  } catch (error) {
    held = false;
    broken += 1;
    seen = error instanceof Error ? error.message : String(error);
  } finally {
    await context.close();
  }
  const took = ((performance.now() - started) / 1000).toFixed(1);
  const words = seen.replaceAll(/\s+/g, ' ').replaceAll('|', '/').slice(0, 240);
  print(`| ${index + 1} | ${fault.name} | ${held ? 'yes' : '**NO**'} | ${took} | ${words} |`);
}
await run.close();
print(`\n${chosen.length - broken} of ${chosen.length} held`);
process.exitCode = broken === 0 ? 0 : 1;
