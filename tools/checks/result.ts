/** The outcome of a check. */
export interface CheckResult {
  /** One line for each problem. Empty if the check passes. */
  readonly problems: readonly string[]
  /** The text after the name of a check that passes, for example the number of files. */
  readonly checked: string
}
