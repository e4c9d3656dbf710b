/**
 * The service's clock: the host's clock plus an offset, which is taken from dates in responses. Signatures
 * contain a timestamp that the service checks. If the host's clock is wrong, the service rejects every
 * request.
 *
 * One wrong `Date` from a gateway must not lead to signatures for the year 2099, which an attacker could use
 * until that year. Therefore the offset is limited, and a response with a more plausible date corrects it.
 */
import { CoreError, coreOptionFailure } from '../core-error.ts'
import { type FieldsOf, func, integer, readOptions } from '../options/schema.ts'

/** A source of time with a correction. */
export interface ServerClock {
  /** The corrected time, in milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds that are added to the host's clock. 0 before the first `sync()`. */
  readonly offsetMs: number
  /**
   * Sets the offset from the time in a response that rejected a timestamp.
   *
   * @param serverNowMs - Milliseconds since the Unix epoch. Ignored if it is not a finite number.
   * @returns Whether the offset has changed by more than the tolerance.
   * @throws {@link CoreError} `CLOCK_IMPLAUSIBLE` if `serverNowMs` differs from the host's clock by more than
   * `maxClockOffsetMs`. The offset then does not change.
   */
  sync(serverNowMs: number): boolean
  /**
   * Corrects the offset from the time in any other response. It has an effect only if the new offset is smaller than the
   * current one by at least a minute. So the offset from one wrong date does not last.
   *
   * @param serverNowMs - Milliseconds since the Unix epoch. Ignored if it is not a finite number.
   * @returns Whether the offset changed.
   */
  resync(serverNowMs: number): boolean
}

/** Options of {@link createServerClock}. */
export interface ServerClockOptions {
  /**
   * Differences up to this many milliseconds are ignored, because an HTTP `Date` header has whole seconds.
   * @defaultValue 2000
   */
  readonly toleranceMs?: number | undefined
  /**
   * The maximum difference between the clocks of the service and the host that is accepted, in milliseconds.
   * @defaultValue 86400000 (a day)
   */
  readonly maxClockOffsetMs?: number | undefined
}

const DAY_MS = 86_400_000
/**
 * The assumed maximum time that a response takes to arrive. `resync()` ignores an improvement that is
 * smaller.
 */
const TRANSIT_MS = 60_000

const fail = coreOptionFailure('CLOCK_INVALID')
const OPTIONS = {
  toleranceMs: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 2000 }),
  maxClockOffsetMs: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: DAY_MS }),
} satisfies FieldsOf<ServerClockOptions>

/** Returns an instant as an ISO 8601 string, or as a number if `Date` cannot represent it. */
function instant(atMs: number): string {
  return new Date(atMs).toJSON() ?? `${atMs} ms since 1970`
}

/**
 * Creates the clock of a service, with an offset of 0.
 *
 * @param now - The host's clock, milliseconds since the Unix epoch.
 * @throws {@link CoreError} `CLOCK_INVALID`
 *
 * @example
 * ```ts
 * import { createServerClock } from '@brokerwire/core'
 *
 * const clock = createServerClock()
 * console.log(clock.now() - clock.offsetMs)
 * ```
 */
export function createServerClock(
  now: () => number = Date.now,
  options: ServerClockOptions = {},
): ServerClock {
  const { toleranceMs, maxClockOffsetMs } = readOptions(fail, options, OPTIONS)
  func()(now, 'now', fail)
  let offsetMs = 0
  return {
    now: () => now() + offsetMs,
    get offsetMs() {
      return offsetMs
    },
    sync(serverNowMs) {
      if (!Number.isFinite(serverNowMs)) return false
      const hostNowMs = now()
      const next = serverNowMs - hostNowMs
      if (!(Math.abs(next) <= maxClockOffsetMs)) {
        throw new CoreError(
          'CLOCK_IMPLAUSIBLE',
          `the service's clock must be within ${maxClockOffsetMs} ms of this host's ${instant(hostNowMs)}; ` +
            `received ${instant(serverNowMs)}. Correct the wrong clock, or raise maxClockOffsetMs`,
          { details: { serverNowMs, hostNowMs, maxClockOffsetMs } },
        )
      }
      if (Math.abs(next - offsetMs) <= toleranceMs) return false
      offsetMs = next
      return true
    },
    resync(serverNowMs) {
      const next = serverNowMs - now()
      if (!(Math.abs(next) + TRANSIT_MS <= Math.abs(offsetMs))) return false
      offsetMs = Math.abs(next) <= toleranceMs ? 0 : next
      return true
    },
  }
}
