/** What the answer to a streaming call means (facts, market data, errors of Subscribing). */
import { classifyFailure } from '@brokerwire/core/internal'

/** How a call ended. */
export type CallOutcome =
  | { readonly kind: 'done' }
  /** The service does not know the session: not yet, not any more, or it belongs to another environment. */
  | { readonly kind: 'session-unknown' }
  /** Some symbols are refused. Without names: at least one of them. */
  | ({ readonly kind: 'symbols-refused'; readonly symbols: readonly string[] | undefined } & Refusal)
  /** The session has no room for all of them. */
  | { readonly kind: 'too-many' }
  /** What is asked for is refused as a whole: a category, a type, a data set without a subscription. */
  | ({ readonly kind: 'refused' } & Refusal)
  /** The credentials are refused, after the HTTP client did what it could. `workedBefore`: whether any call succeeded before. */
  | ({ readonly kind: 'unauthorized'; readonly workedBefore?: boolean | undefined } & Refusal)
  /** The call cannot be made, or nobody answers at this path: sending it again changes nothing. */
  | ({
      readonly kind: 'unusable'
      readonly cause?: unknown
      readonly workedBefore?: boolean | undefined
    } & Refusal)
  /** No answer, or one that says nothing about what was asked. */
  | ({ readonly kind: 'failed'; readonly retryAfterMs: number | undefined } & Refusal)
  /** It may be refused, or another call may succeed: 409, or 417 with an unknown code. */
  | ({ readonly kind: 'unknown'; readonly retryAfterMs: number | undefined } & Refusal)

/** What is known of a refusal. */
export interface Refusal {
  /** The service's code, or this toolkit's where there was no answer. */
  readonly code: string
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined
  /** What the service said, free of what was sent. */
  readonly message: string | undefined
}

/** A failed request, as the HTTP client tells it. */
export interface FailedCall extends Refusal {
  readonly retryAfterMs: number | undefined
}

/** `The symbols does not exist in the category. [A, B]` */
const LIST = /\[([^\][]*)\]\s*$/

/** The symbols that a message names, or `undefined` where it names none of those that were asked for. */
function namedSymbols(message: string | undefined, asked: readonly string[]): readonly string[] | undefined {
  const list = LIST.exec(message ?? '')?.[1]
  if (list === undefined) return undefined
  const named = new Set(list.split(',').map((name) => name.trim()))
  const found = asked.filter((symbol) => named.has(symbol))
  return found.length === 0 ? undefined : found
}

/** Classifies a failure. @param asked - The symbols of the call. */
export function callOutcome(failed: FailedCall, asked: readonly string[]): CallOutcome {
  const { code, status, message, retryAfterMs } = failed
  const refusal: Refusal = { code, status, message }
  switch (code) {
    case 'INVALID_SESSION':
      return { kind: 'session-unknown' }
    case 'TOO_MANY_SYMBOLS_SUBSCRIPTION':
      return { kind: 'too-many' }
    case 'INVALID_SYMBOL':
    case 'UNSUPPORTED_SYMBOL':
      return { kind: 'symbols-refused', symbols: namedSymbols(message, asked), ...refusal }
    default:
  }
  if (status === 401) return { kind: 'unauthorized', ...refusal }
  // What the same call did before is the connection's to know.
  const failureClass = classifyFailure({ status, code, workedBefore: false })
  if (failureClass === 'transient') return { kind: 'failed', retryAfterMs, ...refusal }
  if (failureClass === 'unknown') return { kind: 'unknown', retryAfterMs, ...refusal }
  // Neither a redirect nor a path that is not there says anything about symbols.
  const isUnusable = status !== undefined && (status < 400 || status === 404 || status === 405)
  return { kind: isUnusable ? 'unusable' : 'refused', ...refusal }
}
