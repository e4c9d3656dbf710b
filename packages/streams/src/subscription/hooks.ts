/** Functions of the caller: whether the service requires an access token, the correction of the signer's clock, and additional headers. */
import type { StreamAttempt } from '../observer.ts'

/**
 * Returns whether the service requires an access token. Called after the first subscription of a stream that was sent without one.
 * `true` leads to a notice `access-token-missing`; an error counts as `undefined`.
 */
export type AccessTokenRequiredHook = (request: {
  readonly signal: AbortSignal
}) => boolean | undefined | Promise<boolean | undefined>

/**
 * Called after an AuthError, to correct the clock that the signer uses. If a token was sent and the hook returns `true` (the clock
 * was wrong), the next attempt sends the same token.
 */
export type ClockSkewHook = (request: {
  /**
   * The service's time in its response, milliseconds since the Unix epoch; `undefined` if the response had no
   * time.
   */
  readonly serverNowMs: number | undefined
  readonly signal: AbortSignal
}) => unknown

/** Returns additional headers for an attempt to subscribe, such as `traceparent`. Names in any case. */
export type HeadersHook = (attempt: StreamAttempt) => Readonly<Record<string, string>>
