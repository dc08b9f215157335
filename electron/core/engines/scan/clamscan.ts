import { spawn } from 'node:child_process';
import type { ScanVerdict } from './clamd.ts';

const GIB = 1024 ** 3;
/** The largest limit that clamscan accepts. */
export const CLAMSCAN_MAX_BYTES = 2 * GIB - 1;
const TIMEOUT_MS = 15 * 60_000;

/** Parses the output of `clamscan --no-summary` with its exit status: 0 clean, 1 found, 2 error. */
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

/** Scans a file with `clamscan`, with limits that cover the whole file. */
export const scanWithClamscan = (
  program: string,
  path: string,
  database: string | undefined,
): Promise<ScanVerdict> =>
  new Promise((resolve) => {
    const limit = String(CLAMSCAN_MAX_BYTES);
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
    child.on('error', (error) => resolve({ state: 'error', reason: error.message }));
    child.on('close', (status) => resolve(parseClamscan(output, status)));
  });
