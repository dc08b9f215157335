/**
 * Counts tests in vitest's JSON report. A file that could not be run holds no test, yet counts as a failed one; so does
 * a run that failed without any failed test (an error outside of all tests, or no report at all).
 *
 * @param {string | undefined} json the report, or undefined if there is none
 * @param {number} exitCode vitest's own
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(json, exitCode) {
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
}
