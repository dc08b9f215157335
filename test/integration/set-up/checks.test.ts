import { describe, expect, it } from 'vitest';
import { countTests } from '../../../electron/cli/bootstrap/checks.mjs';

const report = (...files: { status: string; tests: string[] }[]) =>
  JSON.stringify({
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((each) => ({ status: each })),
    })),
  });

describe('the count of tests', () => {
  it('adds up all files', () => {
    const json = report(
      { status: 'passed', tests: ['passed', 'passed', 'pending'] },
      { status: 'failed', tests: ['passed', 'failed', 'todo'] },
    );
    expect(countTests(json, 1)).toEqual({ passed: 3, failed: 1, skipped: 2 });
  });

  it('counts a file that failed to run as one failure', () => {
    expect(countTests(report({ status: 'failed', tests: [] }), 1)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
    });
  });

  it('counts a failed run without a failed test or without a report as one failure', () => {
    expect(countTests(report({ status: 'passed', tests: ['passed'] }), 1).failed).toBe(1);
    expect(countTests(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
