/** Results of the doctor's checks. */

/** One line of `doctor`. */
export interface Finding {
  readonly check: string
  readonly result: 'ok' | 'note' | 'failed'
  readonly text: string
  /** The next step of the user if the check failed. */
  readonly next?: string | undefined
  readonly ms: number
}

/** Result of a check; the runner adds its name and its duration. */
export type CheckResult = Omit<Finding, 'check' | 'ms'>

export const ok = (text: string): CheckResult => ({ result: 'ok', text })
export const note = (text: string): CheckResult => ({ result: 'note', text })
export const failed = (text: string, next: string): CheckResult => ({ result: 'failed', text, next })
