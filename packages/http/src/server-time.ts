/** The clock of the service, as the dates of its responses state it. */
import { isCoreError, type ServerClock } from '@brokerwire/core'
import { parseHttpDate } from '@brokerwire/core/internal'
import { HttpError } from './http-error.ts'
import type { SendResult } from './send.ts'

/**
 * Takes back an offset that {@link syncClock} has learned from a wrong date, if this response has a more plausible date. A 401 is
 * left out, because `syncClock` may learn from it.
 */
export function takeBackWrongOffset(serverClock: ServerClock | undefined, result: SendResult): void {
  if (!serverClock?.offsetMs || result.type === 'failure' || result.status === 401) return
  serverClock.takeBack(parseHttpDate(result.headers.get('date'), serverClock.now()))
}

/**
 * Learns the service's clock from the `Date` of a response that rejected the timestamp.
 *
 * @param date - The `Date` header of the response.
 * @returns Whether the offset differs from the one in the rejected timestamp. Another request may have changed it meanwhile.
 * @throws {@link HttpError} `HTTP_CLOCK_IMPLAUSIBLE`
 */
export function syncClock(
  serverClock: ServerClock,
  error: HttpError<'HTTP_UNAUTHORIZED'>,
  date: string | null | undefined,
  usedOffsetMs: number | undefined,
): boolean {
  try {
    serverClock.learn(parseHttpDate(date, serverClock.now()))
  } catch (thrown) {
    if (!isCoreError(thrown, 'CLOCK_IMPLAUSIBLE')) throw thrown
    throw new HttpError('HTTP_CLOCK_IMPLAUSIBLE', `${error.message}; ${thrown.message}`, {
      details: { ...error.details, ...thrown.details },
    })
  }
  return serverClock.offsetMs !== usedOffsetMs
}
