/** Where authenticated requests take their token from: the access tokens of `@brokerwire/tokens` fit. */
import type { AbortSignalLike, Secret } from '@brokerwire/core'

/** A source of access tokens. */
export interface AccessTokenSource {
  /** The only origin that the tokens are sent to. A client with another `baseUrl` refuses the source. @defaultValue not checked */
  readonly origin?: string | undefined
  /** The usable token; `undefined` where the service wants none. */
  get(options: {
    readonly signal?: AbortSignalLike | undefined
  }): Promise<{ readonly token: Secret } | undefined>
  /**
   * Told that the service refused a request that carried `token`.
   *
   * @returns Whether there is another token now.
   */
  reportRejected(
    token: Secret,
    rejection: { readonly status: number; readonly code?: string | undefined },
    options: { readonly signal?: AbortSignalLike | undefined },
  ): Promise<{ readonly changed: boolean }>
}
