/** The two limits of a listener: a stop by the user, and `--timeout`. */
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { parseDuration } from '../number-option.ts'
import { isStopError } from '../stop-error.ts'

export interface Limits {
  /** Aborts after the timeout. `undefined` if there is no timeout. */
  readonly timedOut: AbortSignal | undefined
  /** Aborts after the timeout, and when the user stops the command. */
  readonly signal: AbortSignal
}

export function createLimits({ timeout }: LimitFlags, io: Pick<GuardedIo, 'signal'>): Limits {
  const timedOut = timeout === undefined ? undefined : AbortSignal.timeout(parseDuration(timeout) ?? 1)
  return { timedOut, signal: timedOut === undefined ? io.signal : AbortSignal.any([io.signal, timedOut]) }
}

/** The flags that limit listening. */
export interface LimitFlags {
  readonly count?: number
  readonly timeout?: string
}

/**
 * Returns the exit status of a listener that was stopped or timed out.
 *
 * @param remaining - Number of events or messages that were not received.
 * @throws `error` if it has another cause; CliError `CLI_TIMED_OUT`.
 */
export function getEndStatus(
  error: unknown,
  remaining: number | undefined,
  what: 'events' | 'messages',
  {
    flags,
    limits,
    io,
  }: { readonly flags: LimitFlags; readonly limits: Limits; readonly io: Pick<GuardedIo, 'signal'> },
): number {
  if (!isStopError(error, limits.signal)) throw error
  if (io.signal.aborted) {
    // Without a count, stopping is the normal end. With a count, the command is incomplete.
    if (flags.count === undefined) return EXIT.done
    throw io.signal.reason
  }
  if (!limits.timedOut?.aborted) throw error
  if (flags.count === undefined) return EXIT.done
  const reason = `${remaining} of ${flags.count} ${what} were not received within ${flags.timeout}`
  throw new CliError('CLI_TIMED_OUT', reason, { details: { reason }, retryable: true })
}

/**
 * Returns the exit status of a listener that was stopped before its first item. This is not the normal end.
 */
export function getEarlyEndStatus(...[error, left, what, context]: Parameters<typeof getEndStatus>): number {
  const status = getEndStatus(error, left, what, context)
  if (context.io.signal.aborted) throw context.io.signal.reason
  return status
}
