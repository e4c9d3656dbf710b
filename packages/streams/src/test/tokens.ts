/** Providers of access tokens for tests. */
import { Secret, type TokenProvider } from '@brokerwire/core'

/** A provider whose `get` returns what `read` returns. */
export function testTokens(
  read: (options: Parameters<TokenProvider['get']>[0]) => string | undefined | Promise<string | undefined>,
  reportRejected: TokenProvider['reportRejected'] = async () => ({ changed: false }),
): TokenProvider {
  return {
    async get(options) {
      const text = await read(options)
      return text === undefined ? undefined : { token: new Secret(text) }
    },
    reportRejected,
  }
}
