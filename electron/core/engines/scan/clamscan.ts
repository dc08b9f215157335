import { spawn } from 'node:child_process';
import type { ScanVerdict } from './clamd.ts';

const GIB = 1024 ** 3;
/** clamscan takes no larger limit than this. */
export const CLAMSCAN_MAX = 2 * GIB - 1;
const TIMEOUT_MS = 15 * 60_000;

/** Reads what `clamscan --no-summary` printed, with its exit status: 0 clean, 1 found, 2 error. */
export const parseClamscan = (output: string, status: number | null): ScanVerdict => {
  const found = /: (.+) FOUND\s*$/m.exec(output);
  if (found?.[1] !== undefined) {
    return found[1].startsWith('Heuristics.Limits.Exceeded')
      ? { state: 'too_large' }
      : { state: 'infected', signature: found[1] };
  }
  if (status === 0 && /: (OK|Empty file)\s*$/m.test(output)) return { state: 'clean' };
  return { state: 'error', reason: `clamscan ended with ${status ?? 'a signal'}` };
};

/** Has `clamscan` scan a file, with limits that leave no part of it out. */
export const scanWithClamscan = (
  program: string,
  path: string,
  database: string | undefined,
): Promise<ScanVerdict> =>
  new Promise((done) => {
    const limit = String(CLAMSCAN_MAX);
    const args = [
      '--no-summary',
      `--max-filesize=${limit}`,
      `--max-scansize=${limit}`,
      '--alert-exceeds-max=yes',
      ...(database === undefined ? [] : [`--database=${database}`]),
      path,
    ];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], timeout: TIMEOUT_MS });
    let output = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      output = (output + text).slice(-10_000);
    });
    child.on('error', (error) => done({ state: 'error', reason: error.message }));
    child.on('close', (status) => done(parseClamscan(output, status)));
  });
