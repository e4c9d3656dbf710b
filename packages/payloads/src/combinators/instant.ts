/** A decoder of instants, which stay exact strings. */
import type { Decoder } from '../decoder.ts'
import { type Instant, isInstant } from '../values/instant-text.ts'
import { stringOfFormat } from './string.ts'

/** Decodes an ISO 8601 date and time with offset and up to nine fractional digits. Impossible dates are invalid. */
export const instant: Decoder<Instant> = stringOfFormat(
  'instant',
  'an ISO 8601 date and time with offset',
  isInstant,
)
