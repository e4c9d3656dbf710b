/** How a check ends: its problems, one a line, and the exit status; or one line of what was checked. */

export function report(check: string, problems: readonly string[], checked: string): void {
  if (problems.length === 0) {
    console.log(`${check}: ${checked}`)
    return
  }
  for (const problem of problems) console.error(problem)
  console.error(`${check}: ${problems.length} problem${problems.length === 1 ? '' : 's'}`)
  process.exitCode = 1
}
