/** The description of an error code. */
export interface ErrorRow {
  readonly code: string
  /** Name of the package that throws the error. */
  readonly package: string
  readonly meaning: string
  /** Whether the same call may succeed later: "yes", "no", or a condition. */
  readonly retryable: string
  /** The next step. */
  readonly remedy: string
  /** A message of the error, as an example. */
  readonly message: string
}
