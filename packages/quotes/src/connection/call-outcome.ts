/** Classification of responses to streaming calls (facts, market data, errors of Subscribing). */
import { classifyFailure } from '@brokerwire/core/internal'

/** The outcome of a call. */
export type CallOutcome =
  | { readonly kind: 'done' }
  /** The service does not know the session: it is too new, has ended, or belongs to another environment. */
  | { readonly kind: 'session-unknown' }
  /** Some symbols are refused. `undefined`: the service did not name them. */
  | ({ readonly kind: 'symbols-refused'; readonly symbols: readonly string[] | undefined } & Refusal)
  /** The session has too many symbols. */
  | { readonly kind: 'too-many' }
  /** The whole call is refused: a category, a type, or a data set that is not subscribed. */
  | ({ readonly kind: 'refused' } & Refusal)
  /** The credentials are refused, also after the retry of the HTTP client. `workedBefore`: whether any call succeeded before. */
  | ({ readonly kind: 'unauthorized'; readonly workedBefore?: boolean | undefined } & Refusal)
  /** The call cannot be sent, or its path does not exist: a retry does not help. */
  | ({
      readonly kind: 'unusable'
      readonly cause?: unknown
      readonly workedBefore?: boolean | undefined
    } & Refusal)
  /** No response, or a transient failure of the service. */
  | ({ readonly kind: 'failed'; readonly retryAfterMs: number | undefined } & Refusal)
  /** Possibly a refusal: 409, or 417 with an unknown code. */
  | ({ readonly kind: 'unknown'; readonly retryAfterMs: number | undefined } & Refusal)

/** The details of a failure. */
export interface Refusal {
  /** The service's code, or the error code of this toolkit if there was no response. */
  readonly code: string
  /** HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined
  /** The service's message, with the token redacted. */
  readonly message: string | undefined
}

/** A failed request, as reported by the HTTP client. */
export interface FailedCall extends Refusal {
  readonly retryAfterMs: number | undefined
}

/** `The symbols does not exist in the category. [A, B]` */
const LIST = /\[([^\][]*)\]\s*$/

/** The requested symbols that a message names; `undefined` if it names none. */
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
  const refusal: Refusal = { code, status, message }
  switch (code) {
    case 'INVALID_SESSION':
      return { kind: 'session-unknown' }
    case 'TOO_MANY_SYMBOLS_SUBSCRIPTION':
      return { kind: 'too-many' }
    case 'INVALID_SYMBOL':
    case 'UNSUPPORTED_SYMBOL':
      return { kind: 'symbols-refused', symbols: namedSymbols(message, requested), ...refusal }
    default:
  }
  if (status === 401) return { kind: 'unauthorized', ...refusal }
  // The connection knows whether the same call succeeded before.
  const failureClass = classifyFailure({ status, code, workedBefore: false })
  if (failureClass === 'transient') return { kind: 'failed', retryAfterMs, ...refusal }
  if (failureClass === 'unknown') return { kind: 'unknown', retryAfterMs, ...refusal }
  // Redirects, 404 and 405 concern the path and not the symbols.
  const isUnusable = status !== undefined && (status < 400 || status === 404 || status === 405)
  return { kind: isUnusable ? 'unusable' : 'refused', ...refusal }
}
