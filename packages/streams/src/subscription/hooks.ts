/** Functions of the caller: whether the service requires an access token, and the correction of the signer's clock. */

/**
 * Called after the first subscription of a stream that was sent without an access token: whether the service wants one.
 * `true` is reported in a notice `access-token-missing`. An error counts as not known.
 */
export type AccessTokenRequiredHook = (request: {
  readonly signal: AbortSignal
}) => boolean | undefined | Promise<boolean | undefined>

/**
 * Called after an AuthError, to correct the clock that the signer uses. If a token was sent and the hook returns `true` (the clock
 * was wrong), the next attempt sends the same token.
 */
export type ClockSkewHook = (request: {
  /** The service's clock as its answer stated it, milliseconds since the Unix epoch. */
  readonly serverNowMs: number | undefined
  readonly signal: AbortSignal
}) => unknown
