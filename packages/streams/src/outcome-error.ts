/** The error that ends a supervised stream. */
import { unreachable } from '@brokerwire/core/internal'
import { StreamsError, type StreamsErrorCode, type StreamsErrorDetails } from './streams-error.ts'
import type { SupervisorOutcome } from './supervisor/machine-types.ts'

/** Creates the error of an outcome. Returns `undefined` if the stream was stopped. */
export function outcomeError(outcome: SupervisorOutcome): StreamsError | undefined {
  switch (outcome.kind) {
    case 'stopped':
      return undefined
    case 'auth-rejected': {
      const token = outcome.tokenSent
        ? 'whether the access token is usable'
        : 'whether this service requires an access token (option accessTokens)'
      const text = `the service rejected the credentials again: check the app key and the app secret, whether the app key may subscribe to these accounts, the clock, the signer's streamAlgorithm, and ${token}`
      return createError('STREAM_AUTH_REJECTED', text, outcome)
    }
    case 'refused':
      return createError(
        'STREAM_REFUSED',
        `the service refused the subscription: ${statusText(outcome)}`,
        outcome,
      )
    case 'cursor-rejected':
      return createError(
        'STREAM_CURSOR_REJECTED',
        `the service rejected the cursor: ${statusText(outcome)}. Start with from: 'now', or set onCursorRejected: 'from-now'`,
        outcome,
      )
    case 'subscription-conflict': {
      const text = `the service grants this app key one subscription for orders and positions, and the ${outcome.heldBy} stream of this process has it: use one accountEvents() for both, or close the other stream`
      return createError('STREAM_SUBSCRIPTION_CONFLICT', text, outcome)
    }
    case 'gave-up': {
      const limit = outcome.limit === 'attempts' ? 'number of attempts' : 'elapsed time'
      const text = `the limit of the ${limit} was reached after attempt ${outcome.attempts}; last reason: ${outcome.reason}`
      return createError('STREAM_GAVE_UP', text, outcome, true)
    }
    case 'not-sent':
      return createError(
        'STREAM_OPEN_FAILED',
        `opening the stream failed while ${STEPS[outcome.step]}${causeText(outcome.cause)}`,
        outcome,
      )
    default:
      return unreachable(outcome)
  }
}

const STEPS = {
  request: 'creating the request',
  signature: 'signing the request',
  headers: 'getting the additional headers',
  'access-token': 'getting the access token',
} satisfies Record<StreamsErrorDetails['STREAM_OPEN_FAILED']['step'], string>

/** Returns the status, and the service's message if there is one. */
function statusText({ status, serverMessage }: StreamsErrorDetails['STREAM_REFUSED']): string {
  return serverMessage === undefined ? status : `${status}, "${serverMessage}"`
}

function causeText(cause: unknown): string {
  return cause instanceof Error ? `: ${cause.message}` : ''
}

function createError<C extends StreamsErrorCode>(
  code: C,
  text: string,
  outcome: { readonly kind: string; readonly cause?: unknown } & StreamsErrorDetails[C],
  retryable = false,
): StreamsError<C> {
  const { kind: _, cause, ...rest } = outcome
  // All other properties of an outcome are the details of its error. The compiler cannot check that for a
  // generic code.
  const details = rest as unknown as StreamsErrorDetails[C]
  return new StreamsError(code, text, { details, retryable, cause })
}
