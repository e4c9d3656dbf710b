/** The error with which a supervised stream ends. */
import { unreachable } from '@brokerwire/core'
import { StreamsError } from './streams-error.ts'
import type { SupervisorOutcome } from './supervisor/machine-types.ts'

/** @param cause - Of a request that could not be made, or of a clock that could not be learned; safe to show. */
export function outcomeError(outcome: SupervisorOutcome, cause: unknown): StreamsError | undefined {
  switch (outcome.kind) {
    case 'stopped':
      return undefined
    case 'auth-rejected': {
      const { signal, status, tokenSent } = outcome
      const token = tokenSent
        ? 'whether the access token is usable'
        : 'whether this host wants an access token (option accessToken)'
      // A status that may be about what was asked for instead of who asked.
      const denied = status === 'permission_denied' ? 'whether the app key may subscribe to this, ' : ''
      return new StreamsError(
        'STREAM_AUTH_REJECTED',
        `the service refused the credentials twice: check ${denied}the clock, the signer's streamAlgorithm, and ${token}`,
        { details: { signal, status, tokenSent }, ...(cause === undefined ? {} : { cause }) },
      )
    }
    case 'refused': {
      const { status, serverMessage } = outcome
      return new StreamsError('STREAM_REFUSED', `the service refused the subscription: ${status}`, {
        details: { status, serverMessage },
      })
    }
    case 'cursor-rejected': {
      const { status, serverMessage } = outcome
      return new StreamsError('STREAM_CURSOR_REJECTED', `the service refused the cursor: ${status}`, {
        details: { status, serverMessage },
      })
    }
    case 'gave-up': {
      const { limit, attempts, reason } = outcome
      return new StreamsError('STREAM_GAVE_UP', `the limit of ${limit} was reached; last reason: ${reason}`, {
        details: { limit, attempts, reason },
        retryable: true,
      })
    }
    case 'not-sent':
      return new StreamsError('STREAM_OPEN_FAILED', `the request could not be made: ${outcome.step}`, {
        details: { step: outcome.step },
        ...(cause === undefined ? {} : { cause }),
      })
    default:
      return unreachable(outcome)
  }
}
