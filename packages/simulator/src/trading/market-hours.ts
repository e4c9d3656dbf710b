/**
 * Trading hours. `'regular'` considers the weekdays and the hours of the region, but no holidays and no
 * daylight saving time.
 */
import type { Region } from '@brokerwire/core/endpoints'
import { DAY_MS } from '../durations.ts'
import { MARKETS } from '../wire/instruments.ts'

/**
 * Trading hours. `'always'`: the market is always open. `'regular'`: it is open in the regular hours of the
 * region. `'closed'`: it is never open.
 */
export type MarketHours = 'always' | 'regular' | 'closed'
export const MARKET_HOURS = ['always', 'regular', 'closed'] as const satisfies readonly MarketHours[]

const MINUTE_MS = 60_000

/** Opening and closing times of the sessions, in minutes after midnight in the region. */
const SESSIONS: Readonly<Record<Region, readonly (readonly [opens: number, closes: number])[]>> = {
  us: [[570, 960]],
  hk: [
    [570, 720],
    [780, 960],
  ],
}

/** The trading hours of one region. */
export interface Calendar {
  isOpen(hours: MarketHours, atMs: number): boolean
  /**
   * Returns the next time at which the market is open, which may be `atMs` itself. `undefined` if it never
   * opens.
   */
  nextOpenMs(hours: MarketHours, atMs: number): number | undefined
  /**
   * Returns the end of the trading day. With `'regular'` it is the close of the last session, otherwise
   * midnight in the region.
   */
  dayEndMs(hours: MarketHours, atMs: number): number
  /** Returns the last midnight in the region at or before a time. */
  dayStartMs(atMs: number): number
}

export function createCalendar(region: Region): Calendar {
  const offsetMs = MARKETS[region].offsetMinutes * MINUTE_MS
  const sessions = SESSIONS[region]
  const dayStartMs = (atMs: number): number => Math.floor((atMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs

  function* openings(fromMs: number): Generator<readonly [opensMs: number, closesMs: number]> {
    for (let startMs = dayStartMs(fromMs); ; startMs += DAY_MS) {
      if (isWeekend(startMs + offsetMs)) continue
      for (const [opens, closes] of sessions) {
        yield [startMs + opens * MINUTE_MS, startMs + closes * MINUTE_MS]
      }
    }
  }
  const nextOpenMs: Calendar['nextOpenMs'] = (hours, atMs) => {
    if (hours === 'always') return atMs
    if (hours === 'closed') return undefined
    for (const [opensMs, closesMs] of openings(atMs)) if (atMs < closesMs) return Math.max(opensMs, atMs)
    return undefined
  }
  return {
    isOpen: (hours, atMs) => nextOpenMs(hours, atMs) === atMs,
    nextOpenMs,
    dayStartMs,
    dayEndMs(hours, atMs) {
      const closes = sessions.at(-1)?.[1] ?? 0
      if (hours !== 'regular') return dayStartMs(atMs) + DAY_MS
      const opensMs = nextOpenMs(hours, atMs) ?? atMs
      return dayStartMs(opensMs) + closes * MINUTE_MS
    },
  }
}

/** Whether a local time is on a Saturday or Sunday. 1970-01-01 was a Thursday. */
function isWeekend(localMs: number): boolean {
  const weekday = (Math.floor(localMs / DAY_MS) + 4) % 7
  return weekday === 0 || weekday === 6
}
