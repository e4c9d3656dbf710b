/**
 * Observers of tokens and of the rate limiters. They cannot change an outcome, and what they throw is discarded. No report contains a
 * token, an app key or a customer.
 */
import type { BrokerwireError } from '@brokerwire/core'
import type { AccessTokenState, ResponseIssue, TokenCall, TokenCallFailureKind } from './types.ts'

/** The tokens or the rate limiter that reports. */
export interface TokenSource {
  /** The option `clientId`. */
  readonly clientId: string
}

/** A call of a token endpoint that has ended. */
export interface TokenCallEnd extends TokenSource {
  /** The call, as errors name it. */
  readonly call: TokenCall
  /** Duration in milliseconds, including retries and waits in a rate limiter. */
  readonly durationMs: number
  /** How the call failed; `undefined` if it succeeded. */
  readonly failure: TokenCallFailureKind | undefined
  /** HTTP status of the response; `undefined` if there was none or if the call succeeded. */
  readonly status: number | undefined
  /**
   * The error of this toolkit that caused the failure. `undefined` for other errors, because their messages may quote the
   * response.
   */
  readonly error: BrokerwireError | undefined
}

/** A difference between a response and the documents. */
export interface TokenResponseIssueReport extends TokenSource {
  /** The call that got the response. */
  readonly call: TokenCall
  /** The difference. */
  readonly issue: ResponseIssue
}

/** The state of the access token. */
export interface TokenStateReport extends TokenSource {
  /** The state of the record in the store, by this host's clock. */
  readonly state: AccessTokenState
  /** Expiry of the usable token, milliseconds since the epoch; `undefined` without a usable token or an expiry. */
  readonly expiresAtMs: number | undefined
}

/** A second factor that a person was asked for. */
export interface TokenSecondFactorReport extends TokenSource {
  /** End of the verification window, milliseconds since the epoch. */
  readonly deadlineMs: number
  /** Whether a current token stays in use meanwhile. */
  readonly renewal: boolean
}

/** A call that has to wait for the service's rate limit. */
export interface TokenWait extends TokenSource {
  /** The call that has to wait. */
  readonly call: TokenCall
  /** Number of waiting calls of this process that are sent before this one. */
  readonly ahead: number
  /** The shortest possible wait in milliseconds, including the calls before this one. */
  readonly atLeastMs: number
}

/** An operation that has to wait for the service's rate limit. */
export interface OperationWait extends TokenSource {
  /** Name of the operation. */
  readonly operation: string
  /** Number of waiting requests of this process that are sent before this one. */
  readonly ahead: number
  /** The shortest possible wait in milliseconds, including the requests before this one. */
  readonly atLeastMs: number
}

/**
 * An observer of tokens and rate limiters. Every function is optional. The names differ from those of the other packages, so one
 * object can observe all of them.
 */
export interface TokensObserver {
  /** Called when a call has ended, successful or not. */
  readonly onTokenCall?: ((end: TokenCallEnd) => void) | undefined
  /** Called for each difference between a response and the documents; the response was accepted. */
  readonly onTokenResponseIssue?: ((report: TokenResponseIssueReport) => void) | undefined
  /**
   * Called when the access token was read for the first time, and when its state or its expiry has changed, also by another process.
   * A change by another process is noticed at the next read.
   */
  readonly onTokenState?: ((report: TokenStateReport) => void) | undefined
  /** Called when a create of this process led to a second factor, which a person must enter. */
  readonly onTokenSecondFactor?: ((report: TokenSecondFactorReport) => void) | undefined
  /** Called once for each wait of a call in a rate limiter, when the wait begins. */
  readonly onTokenWait?: ((wait: TokenWait) => void) | undefined
  /** Called once for each wait of an operation in a rate limiter, when the wait begins. */
  readonly onOperationWait?: ((wait: OperationWait) => void) | undefined
}

/** The names of the functions of {@link TokensObserver}. */
export const TOKENS_OBSERVER = {
  onTokenCall: true,
  onTokenResponseIssue: true,
  onTokenState: true,
  onTokenSecondFactor: true,
  onTokenWait: true,
  onOperationWait: true,
} as const satisfies Record<keyof TokensObserver, true>

/** Number of default names that were given. */
let unnamed = 0

/** Returns the default of the option `clientId`. */
export function nextClientId(): string {
  unnamed += 1
  return `tokens-${unnamed}`
}
