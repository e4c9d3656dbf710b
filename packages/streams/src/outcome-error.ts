/** The error with which a supervised stream ends. */
import { unreachable } from '@brokerwire/core/internal'
import { StreamsError, type StreamsErrorCode, type StreamsErrorDetails } from './streams-error.ts'
import type { SupervisorOutcome } from './supervisor/machine-types.ts'

/** `undefined` where the stream was stopped. */
export function outcomeError(outcome: SupervisorOutcome): StreamsError | undefined {
  switch (outcome.kind) {
    case 'stopped':
      return undefined
    case 'auth-rejected': {
      const token = outcome.tokenSent
        ? 'whether the access token is usable'
        : 'whether this host wants an access token (option accessTokens)'
      const text = `the service refused the credentials again: check the app key and the app secret, whether the app key may subscribe to these accounts, the clock, the signer's streamAlgorithm, and ${token}`
      return errorOf('STREAM_AUTH_REJECTED', text, outcome)
    }
    case 'refused':
      return errorOf('STREAM_REFUSED', `the service refused the subscription: ${outcome.status}`, outcome)
    case 'cursor-rejected':
      return errorOf('STREAM_CURSOR_REJECTED', `the service refused the cursor: ${outcome.status}`, outcome)
    case 'subscription-conflict': {
      const text = `the service grants this app key one subscription for orders and positions, and the ${outcome.heldBy} stream of this process has it: use one accountEvents() for both, or close the other stream`
      return errorOf('STREAM_SUBSCRIPTION_CONFLICT', text, outcome)
    }
    case 'gave-up': {
      const text = `the limit of ${outcome.limit} was reached; last reason: ${outcome.reason}`
      return errorOf('STREAM_GAVE_UP', text, outcome, true)
    }
    case 'not-sent':
      return errorOf('STREAM_OPEN_FAILED', `the request could not be made: ${outcome.step}`, outcome)
    default:
      return unreachable(outcome)
  }
}

function errorOf<C extends StreamsErrorCode>(
  code: C,
  text: string,
  outcome: { readonly kind: string; readonly cause?: unknown } & StreamsErrorDetails[C],
  retryable = false,
): StreamsError<C> {
  const { kind: _, cause, ...rest } = outcome
  // What is left of an outcome are the details, which the compiler does not see of a code that it does not know.
  const details = rest as unknown as StreamsErrorDetails[C]
  return new StreamsError(code, text, { details, retryable, cause })
}
