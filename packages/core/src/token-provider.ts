/**
 * The port through which packages get access tokens. The result of `createAccessTokens` of
 * `@brokerwire/tokens` implements it.
 */
import type { Secret } from './redaction/secret.ts'
import type { AbortSignalLike } from './structural.ts'

/** Provides the access token that requests carry. */
export interface TokenProvider {
  /**
   * The only origin to which the tokens may be sent. A client that sends to another origin rejects the
   * provider.
   * @defaultValue not checked
   */
  readonly origin?: string | undefined
  /** Returns the usable token; `undefined` if the service requires none. */
  get(options: {
    readonly signal?: AbortSignalLike | undefined
  }): Promise<{ readonly token: Secret } | undefined>
  /**
   * Reports that the service rejected a request that carried `token`.
   *
   * @returns Whether there is a new token now.
   */
  reportRejected(
    token: Secret,
    rejection: { readonly status: number; readonly code?: string | undefined },
    options: { readonly signal?: AbortSignalLike | undefined },
  ): Promise<{ readonly changed: boolean }>
}
