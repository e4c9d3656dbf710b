/** The error with which a supervised stream ends. */
import { unreachable } from '@brokerwire/core'
import { StreamsError } from './streams-error.ts'
import type { SupervisorOutcome } from './supervisor/machine-types.ts'

/** `undefined` where the stream was stopped. */
export function outcomeError(outcome: SupervisorOutcome): StreamsError | undefined {
  switch (outcome.kind) {
    case 'stopped':
      return undefined
    case 'auth-rejected': {
      const { signal, status, tokenSent } = outcome
      const token = tokenSent
        ? 'whether the access token is usable'
        : 'whether this host wants an access token (option accessToken)'
      const text = `the service refused the credentials twice: check the app key and the app secret, whether the app key may subscribe to these accounts, the clock, the signer's streamAlgorithm, and ${token}`
      const details = { signal, status, tokenSent }
      return new StreamsError('STREAM_AUTH_REJECTED', text, { details, ...causeOf(outcome) })
    }
    case 'refused':
    case 'cursor-rejected': {
      const { kind, status, serverMessage } = outcome
      const options = { details: { status, serverMessage } }
      return kind === 'refused'
        ? new StreamsError('STREAM_REFUSED', `the service refused the subscription: ${status}`, options)
        : new StreamsError('STREAM_CURSOR_REJECTED', `the service refused the cursor: ${status}`, options)
    }
    case 'gave-up': {
      const { limit, attempts, reason } = outcome
      const text = `the limit of ${limit} was reached; last reason: ${reason}`
      return new StreamsError('STREAM_GAVE_UP', text, {
        details: { limit, attempts, reason },
        retryable: true,
      })
    }
    case 'not-sent': {
      const { step } = outcome
      const text = `the request could not be made: ${step}`
      return new StreamsError('STREAM_OPEN_FAILED', text, { details: { step }, ...causeOf(outcome) })
    }
    default:
      return unreachable(outcome)
  }
}

function causeOf({ cause }: { readonly cause?: unknown }): { readonly cause?: unknown } {
  return cause === undefined ? {} : { cause }
}
