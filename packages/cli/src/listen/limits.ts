/** What ends listening: the person's stop, and `--timeout`. */
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { readDuration } from '../number-option.ts'
import { isOfStopping } from '../stopping.ts'

export interface Limits {
  /** Aborts when the time is over; `undefined` without a limit. */
  readonly late: AbortSignal | undefined
  /** Aborts on either. */
  readonly signal: AbortSignal
}

export function limitsOf({ timeout }: LimitFlags, io: Pick<GuardedIo, 'signal'>): Limits {
  const late = timeout === undefined ? undefined : AbortSignal.timeout(readDuration(timeout) ?? 1)
  return { late, signal: late === undefined ? io.signal : AbortSignal.any([io.signal, late]) }
}

/** The flags that say when listening ends. */
export interface LimitFlags {
  readonly count?: number
  readonly timeout?: string
}

/**
 * The status of a listener that was stopped, or whose time is over.
 *
 * @param left - How many of `what` had not come.
 * @throws The error where that is no end of it; CliError `CLI_TIMED_OUT`.
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
    // Being stopped is how this command normally ends; with a count it has not done what it was asked for.
    if (flags.count === undefined) return EXIT.done
    throw io.signal.reason
  }
  if (!limits.late?.aborted) throw error
  if (flags.count === undefined) return EXIT.done
  const reason = `${left} of ${flags.count} ${what} had not come after ${flags.timeout}`
  throw new CliError('CLI_TIMED_OUT', reason, { details: { reason }, retryable: true })
}

/** The same before anything is listened to: a person who stops it then has not had what was asked for. */
export function endBefore(...[error, left, what, about]: Parameters<typeof endOf>): number {
  const status = endOf(error, left, what, about)
  if (about.io.signal.aborted) throw about.io.signal.reason
  return status
}
