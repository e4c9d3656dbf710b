/**
 * Names of CONNACK return codes, and the reaction to each (facts, market data, Connection).
 *
 * The service's documents list 7 and 16, which are codes of a client library and not of CONNACK. They are
 * treated as unknown.
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

/** Returns the name of a code; `'unknown'` if no source names it. */
export const connackName = (code: number): string => NAMES[code] ?? 'unknown'

/**
 * - `accept`: subscribe;
 * - `retry`: try again after a backoff, with a new session id;
 * - `retry-few`: like `retry`, but only a few times;
 * - `slot`: all slots for connections are taken; try again after a minute or more;
 * - `credentials`, `client`: the refusal is final.
 */
export type ConnackPolicy = 'accept' | 'retry' | 'retry-few' | 'slot' | 'credentials' | 'client'

/** @param retryCodes - Codes that the caller wants retried. */
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
