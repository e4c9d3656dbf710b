/** Ends listening: the user's stop, and `--timeout`. */
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { readDuration } from '../number-option.ts'
import { isOfStopping } from '../stopping.ts'

export interface Limits {
  /** Aborts after the timeout; `undefined` without one. */
  readonly late: AbortSignal | undefined
  /** Aborts on either. */
  readonly signal: AbortSignal
}

export function limitsOf({ timeout }: LimitFlags, io: Pick<GuardedIo, 'signal'>): Limits {
  const late = timeout === undefined ? undefined : AbortSignal.timeout(readDuration(timeout) ?? 1)
  return { late, signal: late === undefined ? io.signal : AbortSignal.any([io.signal, late]) }
}

/** The flags that limit listening. */
export interface LimitFlags {
  readonly count?: number
  readonly timeout?: string
}

/**
 * Exit status of a listener that was stopped or timed out.
 *
 * @param left - Missing number of `what`.
 * @throws The error if it has another cause; CliError `CLI_TIMED_OUT`.
 */
export function endOf(
  error: unknown,
  left: number | undefined,
  what: 'events' | 'messages',
  {
    flags,
    limits,
    io,
  }: { readonly flags: LimitFlags; readonly limits: Limits; readonly io: Pick<GuardedIo, 'signal'> },
): number {
  if (!isOfStopping(error, limits.signal)) throw error
  if (io.signal.aborted) {
    // Without a count, stopping is the normal end. With one, the command is incomplete.
    if (flags.count === undefined) return EXIT.done
    throw io.signal.reason
  }
  if (!limits.late?.aborted) throw error
  if (flags.count === undefined) return EXIT.done
  const reason = `${left} of ${flags.count} ${what} had not come after ${flags.timeout}`
  throw new CliError('CLI_TIMED_OUT', reason, { details: { reason }, retryable: true })
}

/** The same before listening has begun: stopping is never the normal end. */
export function endBefore(...[error, left, what, about]: Parameters<typeof endOf>): number {
  const status = endOf(error, left, what, about)
  if (about.io.signal.aborted) throw about.io.signal.reason
  return status
}
