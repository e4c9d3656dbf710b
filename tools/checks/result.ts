/** The outcome of a check. */
export interface CheckResult {
  /** One line each; none if the check passes. */
  readonly problems: readonly string[]
  /** The text after the name of a check that passes. */
  readonly checked: string
}
