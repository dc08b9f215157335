// `npm run audit`: known vulnerabilities in what ships. Asks npm's registry, so it is no part of `npm test`.

import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/paths.ts';
import { shippedPaths } from './notices.ts';
import { findingsOf } from './vulnerabilities.ts';

const audit = (): number => {
  // On Windows npm is a script, which needs a shell.
  const options = { cwd: ROOT, shell: true, encoding: 'utf8' } as const;
  const { stdout } = spawnSync('npm audit --json --package-lock-only', options);
  const paths = shippedPaths();
  const { shipped, tools } = findingsOf(stdout, paths);
  for (const line of shipped) process.stdout.write(`${line}\n`);
  process.stdout.write(
    `${shipped.length} of ${paths.size} packages that ship are vulnerable, and ${tools} tools that do not ship.\n`,
  );
  return shipped.length > 0 ? 1 : 0;
};

try {
  process.exitCode = audit();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}
