/**
 * Ends a check. If there are problems, prints them, one per line, and sets the exit status. If there are
 * none, prints one line about the checked objects.
 */

export function report(check: string, problems: readonly string[], checked: string): void {
  if (problems.length === 0) {
    console.log(`${check}: ${checked}`)
    return
  }
  for (const problem of problems) console.error(problem)
  console.error(`${check}: ${problems.length} problem${problems.length === 1 ? '' : 's'}`)
  process.exitCode = 1
}
