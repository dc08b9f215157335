import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { ROOT } from './paths.ts';
import { PROCESSOR_SECONDS } from './processor-time.ts';
import { SEED } from './random.ts';

const MAX_FILES = 10;

const secondsOf = (module: TestModule): number => {
  const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
  return (collectDuration + setupDuration + prepareDuration + duration) / 1000;
};

/** Processor time says what a file costs; the clock also how busy the machine was, and what the file waited for. */
const lineOf = (module: TestModule): string => {
  const used: unknown = Reflect.get(module.meta(), PROCESSOR_SECONDS);
  const processor = typeof used !== 'number' ? '' : `${used.toFixed(1).padStart(7)} s of a processor`;
  return `${secondsOf(module).toFixed(1).padStart(7)} s${processor}  ${relative(ROOT, module.moduleId)}`;
};

/** Prints the seed of a run, and its slowest files when there are more than ten; with EARSHOT_TEST_TIMES=all every file. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    process.stdout.write(`\nSeed ${SEED} (EARSHOT_TEST_SEED sets another one)\n`);
    const isAll = process.env.EARSHOT_TEST_TIMES === 'all';
    if (modules.length <= MAX_FILES && !isAll) return;
    const slowest = modules.toSorted((a, b) => secondsOf(b) - secondsOf(a));
    const shown = isAll ? slowest : slowest.slice(0, MAX_FILES);
    process.stdout.write(`Slowest files:\n${shown.map(lineOf).join('\n')}\n`);
  }
}
