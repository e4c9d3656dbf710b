/** How many tests passed and failed, from vitest's JSON report. */

/** Counts of a run. */
export interface Counts {
  readonly passed: number
  readonly failed: number
}

/**
 * @param report - Text of the report, `undefined` if none was written.
 * @param status - Exit status of the run. A run that failed counts at least one failure: a file that cannot be
 *   loaded has no failed test.
 */
export function countTests(report: string | undefined, status: number): Counts {
  const { numPassedTests = 0, numFailedTests = 0 }: { numPassedTests?: number; numFailedTests?: number } =
    report === undefined ? {} : JSON.parse(report)
  const nothingRan = numPassedTests + numFailedTests === 0
  return {
    passed: numPassedTests,
    failed: Math.max(numFailedTests, status !== 0 || nothingRan ? 1 : 0),
  }
}
