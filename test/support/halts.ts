import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** With EARSHOT_TEST_HALTS alone: halts processes of the tests at random, until they end (halting.ts). */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const longest = process.env.EARSHOT_TEST_HALTS;
  if (longest === undefined) return undefined;
  const halting = join(import.meta.dirname, 'halting.ts');
  const child = spawn(process.execPath, [halting, longest], { stdio: 'inherit' });
  return async () => {
    if (child.exitCode !== null) throw new Error('Processes were not halted to the end.');
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
}
