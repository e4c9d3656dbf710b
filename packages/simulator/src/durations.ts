/** Schemas of durations in options. */
import { integer, type Schema } from '@brokerwire/core/internal'

/** One day in milliseconds. */
export const DAY_MS = 86_400_000

/** The maximum duration. It is limited so that timestamps stay valid dates. */
const MAX_DURATION_MS = 10_000 * DAY_MS

/** Creates a schema of a duration in milliseconds, at most 10,000 days. */
export const milliseconds = (fallback: number, min = 0): Schema<number> =>
  integer({ min, max: MAX_DURATION_MS, default: fallback })
