/** The outcome of a check. */
export interface CheckResult {
  /** One line each; none if the check passes. */
  readonly problems: readonly string[]
  /** What was checked, for the line that is printed. */
  readonly checked: string
}
