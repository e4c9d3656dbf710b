/**
 * The access token of subscriptions: the stored token, never a new one. If the store or the service does not respond, a subscription
 * is delayed by at most a time limit, and does not fail.
 */
import type { Clock, TokenProvider } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { createAbortController, withTimeout } from '@brokerwire/core/internal'
import { type AccessTokens, createTokenEndpoints, type TokenRequestPort } from '@brokerwire/tokens'

/** Longest wait for the store before each subscription. */
const READ_LIMIT_MS = 5000
/** Longest wait for the response from `/openapi/config`. No subscription waits for it. */
const CONFIG_LIMIT_MS = 10_000

export interface StreamTokenOptions {
  readonly accessTokens: Pick<AccessTokens, 'peek'>
  readonly http: TokenRequestPort
  readonly identity: ServiceIdentity
  readonly clock: Clock
}

export interface StreamToken {
  /**
   * Provides the stored token, if it is usable. Because of its origin, the token is sent to the event hosts
   * of the same service only.
   */
  readonly provider: TokenProvider
  /** Whether the service checks tokens, according to `/openapi/config`; `undefined` if it did not respond. */
  isRequired(): Promise<boolean | undefined>
  /** Cancels a pending request to `/openapi/config`. */
  close(): void
}

/** Responses by HTTP origin and app key, so that a process sends one request for each of them. */
const responses = new Map<string, Promise<boolean | undefined>>()

export function createStreamToken({ accessTokens, http, identity, clock }: StreamTokenOptions): StreamToken {
  const closing = createAbortController()
  const fetchIsRequired = async (): Promise<boolean | undefined> => {
    const { access } = createTokenEndpoints(http)
    const call = withTimeout(
      clock,
      CONFIG_LIMIT_MS,
      closing.signal,
      (signal) => access.config({ signal }),
      () => {},
    )
    const result = await call.catch(() => undefined)
    return result?.ok ? result.value.tokenCheckEnabled : undefined
  }
  return {
    provider: {
      origin: identity.baseUrl,
      async get({ signal }) {
        const read = withTimeout(
          clock,
          READ_LIMIT_MS,
          signal,
          () => accessTokens.peek(),
          () => {},
        )
        return read.catch(() => undefined)
      },
      // A rejected subscription does not show that the token is invalid. Only a response over HTTP shows that
      // a token has ended.
      reportRejected: async () => ({ changed: false }),
    },
    async isRequired() {
      const key = `${identity.baseUrl} ${identity.appKey}`
      const response = responses.get(key) ?? fetchIsRequired()
      responses.set(key, response)
      const isRequired = await response
      // If close() aborted the request, there is no response that other calls could use.
      if (closing.signal.aborted && responses.get(key) === response) responses.delete(key)
      return isRequired
    },
    close: () => closing.abort(),
  }
}
