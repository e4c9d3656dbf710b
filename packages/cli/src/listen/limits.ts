/** What ends listening: the person's stop, and `--timeout`. */
import type { GuardedIo } from '../io.ts'
import { readDuration } from '../number-option.ts'

export interface Limits {
  /** Aborts when the time is over; `undefined` without a limit. */
  readonly late: AbortSignal | undefined
  /** Aborts on either. */
  readonly signal: AbortSignal
}

export function limitsOf({ timeout }: { readonly timeout?: string | undefined }, io: GuardedIo): Limits {
  const late = timeout === undefined ? undefined : AbortSignal.timeout(readDuration(timeout) ?? 1)
  return { late, signal: late === undefined ? io.signal : AbortSignal.any([io.signal, late]) }
}
