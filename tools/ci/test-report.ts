/** Numbers of passed and failed tests, from vitest's JSON report. */

/** Test counts of a run. */
export interface Counts {
  readonly passed: number
  readonly failed: number
}

/**
 * Counts the tests of a report.
 *
 * @param report - Text of the report. `undefined` if vitest wrote none.
 * @param status - Exit status of the run. If it is not 0, at least one failure is counted, because a file
 * that cannot be loaded has no failed test.
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
