/** The error with which market data ends. */
import { unreachable } from '@brokerwire/core'
import type { ConnectionOutcome } from './connection/machine-types.ts'
import { QuotesError } from './quotes-error.ts'

/** `undefined` where it was stopped. */
export function outcomeError(outcome: ConnectionOutcome): QuotesError | undefined {
  switch (outcome.kind) {
    case 'stopped':
      return undefined
    case 'auth-rejected': {
      const { signal, status, code } = outcome
      const text =
        signal === 'connack'
          ? `the service refused the connection (${code}): check the app key, and whether mqttUrl belongs to its environment`
          : `the service refused the subscribe call (${code}): check the app key, the access token, and whether the app key may have market data`
      return new QuotesError('QUOTES_AUTH_REJECTED', text, { details: { signal, status, code } })
    }
    case 'call-unusable': {
      const { code, status, cause } = outcome
      const text =
        status === 404
          ? 'nobody answers at the path of the subscribe call: set the option paths, and check the host of http'
          : `the subscribe call cannot be made: ${code}`
      return new QuotesError('QUOTES_CALL_FAILED', text, { details: { code, status }, cause })
    }
    case 'refused': {
      const { connackCode, connackName } = outcome
      const text = `the service refused the connection for good: ${connackName}`
      return new QuotesError('QUOTES_REFUSED', text, { details: { connackCode, connackName } })
    }
    case 'gave-up': {
      const { attempts, reason } = outcome
      const text = `the limit of attempts was reached; last reason: ${reason}`
      return new QuotesError('QUOTES_GAVE_UP', text, { details: { attempts, reason }, retryable: true })
    }
    default:
      return unreachable(outcome)
  }
}
