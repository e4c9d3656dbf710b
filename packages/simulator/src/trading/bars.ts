/**
 * Calculates bars: timespans with their first, highest, lowest and last price
 * (packages/operations/OPERATIONS.md, bars).
 */
import type { Instrument } from '../wire/instruments.ts'
import { formatCents } from './decimal.ts'
import { type QuoteContext, rangeBetween, volumeBetween } from './quote-views.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const FIXED_MS = {
  S5: 5000,
  S15: 15_000,
  M1: MINUTE_MS,
  M5: 5 * MINUTE_MS,
  M15: 15 * MINUTE_MS,
  M30: 30 * MINUTE_MS,
  M60: 60 * MINUTE_MS,
  M120: 120 * MINUTE_MS,
  M240: 240 * MINUTE_MS,
  D: DAY_MS,
} as const

/** The timespans that a bar may have. */
export const TIMESPANS = [...(Object.keys(FIXED_MS) as (keyof typeof FIXED_MS)[]), 'W', 'M', 'Y'] as const
export type Timespan = (typeof TIMESPANS)[number]

export interface BarsRequest {
  readonly timespan: Timespan
  readonly count: number
  /** Whether the current bar, which has not ended, is included. */
  readonly withCurrent: boolean
  readonly fromMs: number
  /** The newest bar begins at this time or earlier. */
  readonly untilMs: number
}

/** Returns bars, newest first. Days, weeks, months and years begin at midnight UTC. */
export function bars(
  instrument: Instrument,
  { market, nowMs }: QuoteContext,
  { timespan, count, withCurrent, fromMs, untilMs }: BarsRequest,
): readonly Readonly<Record<string, string>>[] {
  const found: Readonly<Record<string, string>>[] = []
  for (
    let startMs = getStartMs(timespan, Math.min(untilMs, nowMs));
    found.length < count && startMs >= Math.max(0, fromMs);
    startMs = getStartMs(timespan, startMs - 1)
  ) {
    const endMs = getStartMs(timespan, startMs, 1)
    if (endMs > nowMs && !withCurrent) continue
    const lastMs = Math.min(endMs, nowMs + 1)
    const { open, high, low, close } = rangeBetween(instrument, market, startMs, lastMs)
    found.push({
      time: new Date(startMs).toISOString().replace('Z', '+0000'),
      open: formatCents(open),
      close: formatCents(close),
      high: formatCents(high),
      low: formatCents(low),
      volume: String(volumeBetween(instrument, market, startMs, lastMs)),
      trading_session: 'RTH',
    })
  }
  return found
}

/**
 * Returns the start of the timespan that contains an instant, or of the timespan `later` timespans after it.
 */
function getStartMs(timespan: Timespan, atMs: number, later = 0): number {
  const date = new Date(atMs)
  switch (timespan) {
    case 'W': {
      // 1970-01-01 was a Thursday; weeks begin on Monday.
      const week = Math.floor((atMs / DAY_MS + 3) / 7) + later
      return (week * 7 - 3) * DAY_MS
    }
    case 'M':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
    case 'Y':
      return Date.UTC(date.getUTCFullYear() + later, 0)
    default: {
      const spanMs = FIXED_MS[timespan]
      return (Math.floor(atMs / spanMs) + later) * spanMs
    }
  }
}
