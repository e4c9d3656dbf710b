/** Functions of the caller that an attempt calls: for the access token, and to correct the signer's clock. */
import type { SecretInput } from '@brokerwire/core'

/** Called for every attempt; after an AuthError once more, to learn whether there is another token. */
export type AccessTokenHook = (request: {
  readonly signal: AbortSignal
  /** Origin that the token is sent to. `undefined`: a `transports` of yours has the address. */
  readonly origin: string | undefined
  /** Whether the token of the last attempt was refused: do not answer from a cache. */
  readonly rejected: boolean
}) => SecretInput | undefined | Promise<SecretInput | undefined>

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
