/** A point in time, kept as exact text. */
import type { Decoder } from '../decoder.ts'
import { type Instant, isInstant } from '../values/instant-text.ts'
import { stringOfFormat } from './string.ts'

/** ISO 8601 with an offset and up to nanoseconds. Impossible dates are errors. */
export const instant: Decoder<Instant> = stringOfFormat(
  'instant',
  'an ISO 8601 date and time with offset',
  isInstant,
)
