/** Counts tests in vitest's JSON report, a file that could not be run as one failure. */
export function countTests(
  json: string | undefined,
  exitCode: number,
): { passed: number; failed: number; skipped: number };
