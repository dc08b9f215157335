// `npm test`: every check of the house, then every test, and one line that sums them up.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFile, modules, root } from './places.mjs';
import { runProgram } from './processes.mjs';
import { elapsed } from './progress.mjs';
import { countTests } from './test-report.mjs';
import { ensureWindowBundle } from './window-bundle.mjs';

const NAME_WIDTH = 12;
const tool = (...parts) => join(modules, ...parts);

/** The static checks: what each is called, its program and arguments, and the file it cannot do without. */
const STATIC_CHECKS = [
  { name: 'format, lint', args: [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings'] },
  {
    name: 'types',
    // What it learned is kept beside the packages: only what has changed is looked at again.
    args: [
      ...[tool('typescript', 'bin', 'tsc'), '--noEmit', '--incremental'],
      ...['--tsBuildInfoFile', tool('.cache', 'earshot', 'types.tsbuildinfo')],
    ],
  },
  {
    name: 'layers',
    args: [
      join(import.meta.dirname, 'layers.mjs'),
      ...[
        '--config',
        '.dependency-cruiser.mjs',
        'electron',
        'renderer',
        'native',
        'packages/earshot-client/build',
        'test',
      ],
    ],
  },
  { name: 'dead code', args: [tool('knip', 'bin', 'knip.js'), '--no-progress'] },
];

const print = (line) => process.stdout.write(`${line}\n`);

function capture(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) =>
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString().trimEnd() }),
    );
  });
}

/** Runs one check, prints its line (and its output if it failed), and says whether it passed. */
async function check(name, work) {
  const started = Date.now();
  const { ok, output } = await work();
  print(
    `${ok ? '✓' : '✗'} ${name.padEnd(NAME_WIDTH)}  ${ok ? 'passed' : 'failed'} · ${elapsed(Date.now() - started)}`,
  );
  if (!ok && output) print(output.replace(/^/gm, '    '));
  return ok;
}

async function buildWindow(node) {
  try {
    await ensureWindowBundle(node);
    return { ok: true, output: '' };
  } catch (error) {
    return { ok: false, output: error.message };
  }
}

/** Runs vitest with its own output on the terminal, and counts from its JSON report. */
async function runTests(node, patterns) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-test-report-'));
  const report = join(folder, 'report.json');
  try {
    const { code } = await runProgram(node, [
      ...[tool('vitest', 'vitest.mjs'), 'run', '--root', root, ...patterns],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ]);
    return { ...countTests(isFile(report) ? readFileSync(report, 'utf8') : undefined, code), code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * Runs all checks and tests; with arguments only the tests that match them.
 * @param {string} node
 * @param {string[]} patterns
 * @returns {Promise<number>} the exit code
 */
export async function runChecks(node, patterns) {
  const checks = [];
  if (patterns.length === 0) {
    const window = isFile(join(root, 'renderer', 'index.html'));
    // Side by side: none of them looks at what another makes.
    checks.push(
      ...(await Promise.all([
        ...STATIC_CHECKS.map(({ name, args }) => check(name, () => capture(node, args))),
        ...(window ? [check('window', () => buildWindow(node))] : []),
      ])),
    );
  }
  const tests = await runTests(node, patterns);
  const failedChecks = checks.filter((ok) => !ok).length;
  const failed = tests.failed + failedChecks;
  print('');
  print(summary({ passed: tests.passed + checks.length - failedChecks, failed, skipped: tests.skipped }));
  if (tests.code > 128) return tests.code;
  return failed > 0 ? 1 : 0;
}
