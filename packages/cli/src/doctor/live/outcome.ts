/** Outcomes of the calls of `doctor --live`, as plain values from which the answers are decided. */
import type { SignatureAlgorithm } from '@brokerwire/core/endpoints'

/** A response of the service, without its body. */
export interface ResponseOutcome {
  readonly type: 'response'
  readonly status: number
  /** The service's error code. */
  readonly code?: string | undefined
  readonly requestId?: string | undefined
  /** The `Date` header, milliseconds since the Unix epoch. */
  readonly dateMs?: number | undefined
  /** Time before the request by this host's clock, milliseconds since the Unix epoch. */
  readonly sentMs: number
  /** Time after the response headers by this host's clock, milliseconds since the Unix epoch. */
  readonly receivedMs: number
  /** Headers of a 429 that describe the limit. */
  readonly limitHeaders?: Readonly<Record<string, string>> | undefined
  /** The parsed body, if it is JSON. It is never a part of the record. */
  readonly json?: unknown
}

/** The outcome of a call. */
export type CallOutcome =
  | ResponseOutcome
  /** The call failed without a response. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'not-made'; readonly reason: string }

/** The outcome of an attempt to subscribe to the trade stream. */
export type StreamOutcome =
  | { readonly type: 'subscribed'; readonly connectionId?: string | undefined }
  /**
   * The service ended the call.
   *
   * @see by - Name of the control frame, such as `AuthError`, or of the gRPC status.
   */
  | {
      readonly type: 'rejected'
      readonly by: string
      readonly code?: string | undefined
      readonly connectionId?: string | undefined
    }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'not-made'; readonly reason: string }

/** An attempt to subscribe. */
export interface StreamAttempt {
  readonly algorithm: SignatureAlgorithm
  readonly hasToken: boolean
  /** Number of event connections of this command that were open before the attempt. */
  readonly openBefore: number
  readonly outcome: StreamOutcome
}

/** Whether the response has a successful status. */
export const isServed = (outcome: CallOutcome): boolean =>
  outcome.type === 'response' && outcome.status >= 200 && outcome.status < 300

/** Whether the response is an answer about the request, which a 429 or a 5xx is not. */
export const isConclusive = (outcome: CallOutcome): boolean =>
  outcome.type === 'response' && outcome.status !== 429 && outcome.status < 500

export const isRateLimited = (outcome: CallOutcome): boolean =>
  outcome.type === 'response' && outcome.status === 429

/** Whether the service rejected the credentials of a subscription. */
export const isAuthRejection = (outcome: StreamOutcome): boolean =>
  outcome.type === 'rejected' && (outcome.by === 'AuthError' || outcome.by === 'UNAUTHENTICATED')

/** Describes an outcome in a few words, such as `404` or `401 INVALID_TOKEN`. */
export function describeOutcome(outcome: CallOutcome | StreamOutcome): string {
  switch (outcome.type) {
    case 'response':
      return outcome.code === undefined ? String(outcome.status) : `${outcome.status} ${outcome.code}`
    case 'subscribed':
      return 'accepted'
    case 'rejected':
      return outcome.code === undefined ? outcome.by : `${outcome.by} ${outcome.code}`
    case 'failed':
      return `no response (${outcome.reason})`
    default:
      return `not sent: ${outcome.reason}`
  }
}
