/** Errors that end the market data. */
import { unreachable } from '@brokerwire/core/internal'
import type { ConnectionOutcome } from './connection/machine-types.ts'
import { QuotesError, type QuotesErrorDetails } from './quotes-error.ts'

function authRejected(details: QuotesErrorDetails['QUOTES_AUTH_REJECTED'], cause?: unknown): QuotesError {
  const { signal, code } = details
  const text =
    signal === 'connack'
      ? `the service refused the connection (${code}): check the app key, and whether mqttUrl belongs to its environment`
      : `the service rejected the ${signal === 'call' ? 'subscribe call' : "subscribe call's token"} (${code}): check the app key, the app secret, the access token, and whether the app key may have market data`
  return new QuotesError('QUOTES_AUTH_REJECTED', text, { details, cause })
}

/** @returns The error of an outcome; `undefined` if the connection was stopped. */
export function outcomeError(outcome: ConnectionOutcome): QuotesError | undefined {
  switch (outcome.kind) {
    case 'stopped':
      return undefined
    case 'auth-rejected': {
      const { signal, status, code } = outcome
      return authRejected({ signal, status, code })
    }
    case 'call-unusable': {
      const { code, status, cause } = outcome
      // If the call itself gets status 401 or 403, the outcome is another one. Here the request for the
      // call's token was rejected.
      if (status === 401 || status === 403) return authRejected({ signal: 'token', status, code }, cause)
      const text =
        status === 404
          ? 'the subscribe call failed with status 404: set the option "paths", and check the host of "http"'
          : `the subscribe call cannot be sent: ${cause instanceof Error ? cause.message : code}`
      return new QuotesError('QUOTES_CALL_FAILED', text, { details: { code, status }, cause })
    }
    case 'refused': {
      const { connackCode, connackName } = outcome
      const text = `the service refused the connection (CONNACK ${connackCode}, ${connackName}); a retry does not help`
      return new QuotesError('QUOTES_REFUSED', text, { details: { connackCode, connackName } })
    }
    case 'gave-up': {
      const { attempts, reason, message } = outcome
      const text = `gave up after ${attempts} attempts (supervision.maxAttempts); last reason: ${message ?? reason}`
      return new QuotesError('QUOTES_GAVE_UP', text, { details: { attempts, reason }, retryable: true })
    }
    default:
      return unreachable(outcome)
  }
}
