/** Synchronization of the server clock with the `Date` of responses. */
import { isCoreError, type ServerClock } from '@brokerwire/core'
import { parseHttpDate } from '@brokerwire/core/internal'
import { HttpError } from './http-error.ts'
import type { SendResult } from './send.ts'

/**
 * Reverts an offset that {@link syncClock} took from a wrong date, if this response has a more plausible
 * date. A response with status 401 is ignored, because `syncClock` may use its date.
 */
export function revertWrongOffset(serverClock: ServerClock | undefined, result: SendResult): void {
  if (!serverClock?.offsetMs || result.type === 'failure' || result.status === 401) return
  serverClock.resync(parseHttpDate(result.headers.get('date'), serverClock.now()))
}

/**
 * Sets the server clock from the `Date` of a response that rejected the timestamp.
 *
 * @param date - The `Date` header of the response.
 * @returns Whether the offset now differs from the offset in the rejected timestamp. This call or another
 * request may have changed it.
 * @throws {@link HttpError} `HTTP_CLOCK_IMPLAUSIBLE`
 */
export function syncClock(
  serverClock: ServerClock,
  error: HttpError<'HTTP_UNAUTHORIZED'>,
  date: string | null | undefined,
  usedOffsetMs: number | undefined,
): boolean {
  try {
    serverClock.sync(parseHttpDate(date, serverClock.now()))
  } catch (thrown) {
    if (!isCoreError(thrown, 'CLOCK_IMPLAUSIBLE')) throw thrown
    throw new HttpError('HTTP_CLOCK_IMPLAUSIBLE', `${error.message}; ${thrown.message}`, {
      details: { ...error.details, ...thrown.details },
    })
  }
  return serverClock.offsetMs !== usedOffsetMs
}
