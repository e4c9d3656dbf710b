/** Functions of the caller that an attempt calls: for the access token, and to correct the signer's clock. */
import type { SecretInput } from '@brokerwire/core'

/** Called for every attempt; after an AuthError once more, to learn whether there is another token. */
export type AccessTokenHook = (request: {
  readonly signal: AbortSignal
  /** Whether the token of the last attempt was refused: do not answer from a cache. */
  readonly rejected: boolean
}) => SecretInput | undefined | Promise<SecretInput | undefined>

/** Called after an AuthError without a token: sets right the clock that the signer uses. */
export type ClockOffsetHook = (request: {
  /** The service's clock as its answer stated it, milliseconds since the Unix epoch. */
  readonly serverNowMs: number | undefined
  readonly signal: AbortSignal
}) => unknown
