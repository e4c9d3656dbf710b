/**
 * The service's clock, as far as it is known: the host's plus an offset that is learned from answers.
 *
 * Signatures carry a timestamp that the service checks; a host whose clock is off gets every request refused. But who
 * believes every date signs for the year 2099 when a gateway says so once, and such a signature is good for whoever reads
 * it until then: the offset is bounded, and an answer that says a more plausible time takes it back.
 */
import { CoreError, coreOptionFailure } from '../core-error.ts'
import { type FieldsOf, func, integer, readOptions } from '../options/schema.ts'

/** A source of time with a correction. */
export interface ServerClock {
  /** Milliseconds since the Unix epoch, corrected. */
  now(): number
  /** Milliseconds that are added to the host's clock. 0 until something was learned. */
  readonly offsetMs: number
  /**
   * Takes a time that the service stated when it refused a timestamp.
   *
   * @param serverNowMs - Milliseconds since the Unix epoch. Ignored where it is no finite number.
   * @returns Whether the offset moved by more than the tolerance.
   * @throws {@link CoreError} `CLOCK_IMPLAUSIBLE` where it is further from the host's clock than `maxClockOffsetMs`. The
   * offset stays as it was.
   */
  learn(serverNowMs: number): boolean
  /**
   * Takes a time that the service stated beside any other answer, and only where it is a minute or more closer to the
   * host's clock than what was learned: an offset that one wrong date has taught does not last.
   *
   * @returns Whether the offset moved.
   */
  takeBack(serverNowMs: number): boolean
}

/** Options of {@link createServerClock}. */
export interface ServerClockOptions {
  /**
   * Smaller differences are left alone, in milliseconds: an HTTP `Date` header has whole seconds.
   * @defaultValue 2000
   */
  readonly toleranceMs?: number | undefined
  /** The furthest that the service's clock may be from the host's, in milliseconds. @defaultValue 86400000 (a day) */
  readonly maxClockOffsetMs?: number | undefined
}

const DAY_MS = 86_400_000
/** An answer may be that long on its way: its date is no reason to correct what the service has taught. */
const TRANSIT_MS = 60_000

const fail = coreOptionFailure('CLOCK_INVALID')
const OPTIONS = {
  toleranceMs: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 2000 }),
  maxClockOffsetMs: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: DAY_MS }),
} satisfies FieldsOf<ServerClockOptions>

/** An instant in words; a number where no calendar has it. */
function instant(atMs: number): string {
  return new Date(atMs).toJSON() ?? `${atMs} ms since 1970`
}

/**
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
    learn(serverNowMs) {
      if (!Number.isFinite(serverNowMs)) return false
      const hostNowMs = now()
      const next = serverNowMs - hostNowMs
      if (!(Math.abs(next) <= maxClockOffsetMs)) {
        throw new CoreError(
          'CLOCK_IMPLAUSIBLE',
          `the service's clock says ${instant(serverNowMs)} and this host's ${instant(hostNowMs)}, further apart than ` +
            `${maxClockOffsetMs} ms: set the wrong one right, or raise maxClockOffsetMs`,
          { details: { serverNowMs, hostNowMs, maxClockOffsetMs } },
        )
      }
      if (Math.abs(next - offsetMs) <= toleranceMs) return false
      offsetMs = next
      return true
    },
    takeBack(serverNowMs) {
      const next = serverNowMs - now()
      if (!(Math.abs(next) + TRANSIT_MS <= Math.abs(offsetMs))) return false
      offsetMs = Math.abs(next) <= toleranceMs ? 0 : next
      return true
    },
  }
}
