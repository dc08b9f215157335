// `npm run fuzz [-- --seed N] [--requests N] [PATTERN …]`: the requests of test/fuzz and every property test, with a new seed.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/paths.ts';

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, requests: { type: 'string', default: '10000' } },
  allowPositionals: true,
});
const seed = values.seed ?? String(randomInt(2 ** 31 - 1));

const propertyTests = globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT }).filter((path) =>
  readFileSync(join(ROOT, path), 'utf8').includes("from 'fast-check'"),
);
const files = positionals.length > 0 ? positionals : ['test/fuzz/', ...propertyTests];

process.stdout.write(`Seed ${seed}. \`npm run fuzz -- --seed ${seed}\` repeats this run.\n`);
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
spawn(process.execPath, [vitest, 'run', '--root', ROOT, ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    EARSHOT_TEST_SEED: seed,
    EARSHOT_FUZZ_REQUESTS: values.requests,
  },
}).once('exit', (code) => {
  process.exitCode = code ?? 1;
});
