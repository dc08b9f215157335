import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { ROOT } from './paths.ts';
import { SEED } from './random.ts';

const MAX_FILES = 10;

const secondsOf = (module: TestModule): number => {
  const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
  return (collectDuration + setupDuration + prepareDuration + duration) / 1000;
};

/** Prints the seed of a run, and its slowest files when there are more than ten. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    process.stdout.write(`\nSeed ${SEED} (EARSHOT_TEST_SEED sets another one)\n`);
    if (modules.length <= MAX_FILES) return;
    const slowest = modules
      .map((module) => ({ file: relative(ROOT, module.moduleId), seconds: secondsOf(module) }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, MAX_FILES);
    const lines = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
    process.stdout.write(`Slowest files:\n${lines.join('\n')}\n`);
  }
}
