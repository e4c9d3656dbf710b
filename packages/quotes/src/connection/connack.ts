/**
 * What a CONNACK's return code means, and what is done (facts, market data, Connection).
 *
 * 7 and 16 in the service's documents are no codes of the wire: here they are unknown ones.
 */

const NAMES: Readonly<Record<number, string>> = {
  0: 'accepted',
  1: 'protocol-version',
  2: 'client-id',
  3: 'app-key-empty',
  5: 'not-authorized',
  100: 'unknown-error',
  101: 'internal-error',
  102: 'already-authenticated',
  103: 'authentication-failed',
  104: 'app-key-invalid',
  105: 'connection-limit',
}

/** What a code is called here: `'unknown'` where no source names it. */
export const connackName = (code: number): string => NAMES[code] ?? 'unknown'

/**
 * - `accept`: subscribe;
 * - `retry`: again, never at once, with another session id;
 * - `retry-few`: the same, a few times;
 * - `slot`: again after a minute or more;
 * - `credentials`, `client`: it stays refused.
 */
export type ConnackPolicy = 'accept' | 'retry' | 'retry-few' | 'slot' | 'credentials' | 'client'

/** @param retryCodes - Codes that the caller wants tried again, whatever they mean. */
export function connackPolicy(code: number, retryCodes: readonly number[]): ConnackPolicy {
  if (code === 0) return 'accept'
  if (code === 105) return 'slot'
  if (retryCodes.includes(code)) return 'retry'
  switch (code) {
    case 1:
    case 2:
      return 'client'
    case 3:
    case 103:
    case 104:
      return 'credentials'
    case 5:
      return 'retry-few'
    default:
      return 'retry'
  }
}
