/** `x-timestamp`: UTC, `YYYY-MM-DDThh:mm:ssZ`. spec.md, "Headers on signed requests". */
import { describe } from '@brokerwire/core'
import { optionInvalid } from './signer-error.ts'

/** Seconds of 9999-12-31T23:59:59Z, the last instant of the format. */
const LAST_SECOND = 253_402_300_799

/**
 * The timestamp of an instant.
 *
 * @param second - Whole seconds since the Unix epoch.
 * @throws SignerError `SIGNER_OPTION_INVALID` where the clock gave no instant of the years 1970 to 9999.
 */
export function timestampText(second: number): string {
  if (!(second >= 0 && second <= LAST_SECOND)) {
    throw optionInvalid('now()', 'milliseconds since the Unix epoch', describe(second))
  }
  return `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
}
