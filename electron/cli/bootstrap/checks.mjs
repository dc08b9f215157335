// `npm test`: every static check, then every test, and a line with the totals. `npm run lint` and `typecheck`: parts of it.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFile, modules, root } from './places.mjs';
import { elapsed, runProgram } from './processes.mjs';
import { ensureWindowBundle } from './setup.mjs';

const NAME_WIDTH = 12;
const tool = (...parts) => join(modules, ...parts);

const STATIC_CHECKS = [
  { name: 'format, lint', args: [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings'] },
  {
    name: 'types',
    // Incremental: only changed files and what depends on them are checked again.
    args: [
      ...[tool('typescript', 'bin', 'tsc'), '--noEmit', '--incremental'],
      ...['--tsBuildInfoFile', tool('.cache', 'earshot', 'types.tsbuildinfo')],
    ],
  },
  {
    name: 'layers',
    args: [
      join(root, 'electron', 'cli', 'bootstrap', 'layers.mjs'),
      ...[
        '--config',
        '.dependency-cruiser.mjs',
        // What it read counts as long as each file and the rules have the content that they had.
        ...['--cache', tool('.cache', 'earshot', 'layers'), '--cache-strategy', 'content'],
        'electron',
        'renderer',
        'native',
        'packages/earshot-client/build',
        'packages/desktop',
        'packages/server',
        'test',
      ],
    ],
  },
  {
    name: 'dead code',
    // Of files that did not change, what they import and export is not read again.
    args: [
      ...[tool('knip', 'bin', 'knip.js'), '--no-progress'],
      ...['--cache', '--cache-location', tool('.cache', 'earshot', 'knip')],
    ],
  },
];

const print = (line) => process.stdout.write(`${line}\n`);

const capture = (command, args) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) =>
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString().trimEnd() }),
    );
  });

/** Runs a check and prints its result, with its output if it failed. Resolves to whether it passed. */
const check = async (name, work) => {
  const started = Date.now();
  const { ok, output } = await work();
  print(
    `${ok ? '✓' : '✗'} ${name.padEnd(NAME_WIDTH)}  ${ok ? 'passed' : 'failed'} · ${elapsed(Date.now() - started)}`,
  );
  if (!ok && output) print(output.replace(/^/gm, '    '));
  return ok;
};

const buildWindow = async (node) => {
  try {
    await ensureWindowBundle(node);
    return { ok: true, output: '' };
  } catch (error) {
    return { ok: false, output: error.message };
  }
};

/** Runs static checks side by side. `names` picks some of them. */
const runAll = (node, names) =>
  Promise.all(
    STATIC_CHECKS.filter(({ name }) => !names || names.includes(name)).map(({ name, args }) =>
      check(name, () => capture(node, args)),
    ),
  );

/**
 * `npm run lint` and `npm run typecheck`.
 * @param {string} node
 * @param {string[]} names
 * @returns {Promise<number>} the exit code
 */
export const runStaticChecks = async (node, names) => ((await runAll(node, names)).every(Boolean) ? 0 : 1);

/**
 * Counts the tests in vitest's JSON report. A file that could not be run contains no tests and counts as one failure; so
 * does a run that failed without a failed test (an error outside of all tests, or no report).
 *
 * @param {string | undefined} json the report, or undefined if there is none
 * @param {number} exitCode vitest's own
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
const countTests = (json, exitCode) => {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of json ? JSON.parse(json).testResults : []) {
    for (const { status } of file.assertionResults) {
      if (status === 'passed') counts.passed += 1;
      else if (status === 'failed') counts.failed += 1;
      else counts.skipped += 1;
    }
    const hasFailedTest = file.assertionResults.some(({ status }) => status === 'failed');
    if (file.status === 'failed' && !hasFailedTest) counts.failed += 1;
  }
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
};

/** Runs vitest with its own output on the terminal, and counts from its JSON report. `bundled`: the tests start the bundles. */
const runTests = async (node, patterns, bundled) => {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-test-report-'));
  const report = join(folder, 'report.json');
  if (bundled) process.env.EARSHOT_TEST_PROGRAM = 'bundled';
  try {
    const { code } = await runProgram(node, [
      ...[tool('vitest', 'vitest.mjs'), 'run', '--root', root, '--project=!nightly', ...patterns],
      ...['--reporter=default', '--reporter=./test/support/summary-reporter.ts'],
      ...['--reporter=json', `--outputFile.json=${report}`],
    ]);
    return { ...countTests(isFile(report) ? readFileSync(report, 'utf8') : undefined, code), code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * `npm test`: runs all checks and tests, or with arguments the tests that match them.
 * @param {string} node
 * @param {string[]} patterns
 * @returns {Promise<number>} the exit code
 */
export const runChecks = async (node, patterns) => {
  const hasWindow = isFile(join(root, 'renderer', 'index.html'));
  const [checks, bundled] =
    patterns.length > 0
      ? [[], false]
      : await Promise.all([runAll(node), hasWindow && check('window', () => buildWindow(node))]);
  if (patterns.length === 0 && hasWindow) checks.push(bundled);
  const tests = await runTests(node, patterns, bundled);
  const failedChecks = checks.filter((passed) => !passed).length;
  const failed = tests.failed + failedChecks;
  const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : '';
  print(`\n${tests.passed + checks.length - failedChecks} passed, ${failed} failed${skipped}`);
  if (tests.code > 128) return tests.code;
  return failed > 0 ? 1 : 0;
};
