/** Classification of responses to streaming calls (facts, market data, errors of Subscribing). */
import { classifyFailure } from '@brokerwire/core/internal'

/** The outcome of a call. */
export type CallOutcome =
  | { readonly kind: 'done' }
  /** The service does not know the session: it is too new, has ended, or belongs to another environment. */
  | { readonly kind: 'session-unknown' }
  /** Some symbols are rejected. `symbols` is `undefined` if the service did not name them. */
  | ({ readonly kind: 'symbols-rejected'; readonly symbols: readonly string[] | undefined } & CallRejection)
  /** The session has too many symbols. */
  | { readonly kind: 'too-many' }
  /** The whole call is rejected because of its category, a type, or a data set that is not subscribed. */
  | ({ readonly kind: 'rejected' } & CallRejection)
  /** The credentials are rejected, also after the retry of the HTTP client. `workedBefore`: whether any call succeeded before. */
  | ({ readonly kind: 'unauthorized'; readonly workedBefore?: boolean | undefined } & CallRejection)
  /** The call cannot be sent, or its path does not exist, so a retry does not help. */
  | ({
      readonly kind: 'unusable'
      readonly cause?: unknown
      readonly workedBefore?: boolean | undefined
    } & CallRejection)
  /** No response, or a transient failure of the service. */
  | ({ readonly kind: 'failed'; readonly retryAfterMs: number | undefined } & CallRejection)
  /** Possibly a rejection: status 409, or status 417 with an unknown code. */
  | ({ readonly kind: 'unknown'; readonly retryAfterMs: number | undefined } & CallRejection)

/** The details of a failure. */
export interface CallRejection {
  /** The service's code, or the error code of this toolkit if there was no response. */
  readonly code: string
  /** HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined
  /** The service's message, with the token redacted. */
  readonly message: string | undefined
}

/** A failed request, as reported by the HTTP client. */
export interface FailedCall extends CallRejection {
  readonly retryAfterMs: number | undefined
}

/** Matches the list in a message such as `The symbols does not exist in the category. [A, B]`. */
const LIST = /\[([^\][]*)\]\s*$/

/** Returns the requested symbols that a message names; `undefined` if it names none. */
function namedSymbols(
  message: string | undefined,
  requested: readonly string[],
): readonly string[] | undefined {
  const list = LIST.exec(message ?? '')?.[1]
  if (list === undefined) return undefined
  const named = new Set(list.split(',').map((name) => name.trim()))
  const found = requested.filter((symbol) => named.has(symbol))
  return found.length === 0 ? undefined : found
}

/** Classifies a failure. @param requested - The symbols of the call. */
export function callOutcome(failed: FailedCall, requested: readonly string[]): CallOutcome {
  const { code, status, message, retryAfterMs } = failed
  const rejection: CallRejection = { code, status, message }
  switch (code) {
    case 'INVALID_SESSION':
      return { kind: 'session-unknown' }
    case 'TOO_MANY_SYMBOLS_SUBSCRIPTION':
      return { kind: 'too-many' }
    case 'INVALID_SYMBOL':
    case 'UNSUPPORTED_SYMBOL':
      return { kind: 'symbols-rejected', symbols: namedSymbols(message, requested), ...rejection }
    default:
  }
  if (status === 401) return { kind: 'unauthorized', ...rejection }
  // `workedBefore` is `false` here, because only the connection knows whether the same call succeeded before.
  const failureClass = classifyFailure({ status, code, workedBefore: false })
  if (failureClass === 'transient') return { kind: 'failed', retryAfterMs, ...rejection }
  if (failureClass === 'unknown') return { kind: 'unknown', retryAfterMs, ...rejection }
  // Redirects, 404 and 405 concern the path and not the symbols.
  const isUnusable = status !== undefined && (status < 400 || status === 404 || status === 405)
  return { kind: isUnusable ? 'unusable' : 'rejected', ...rejection }
}
