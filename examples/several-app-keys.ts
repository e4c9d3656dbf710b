/**
 * Several app keys in one process and one store. Everything that belongs to a key hangs on its own brokerage: signer,
 * token, limit of token calls, learned clock. Keys in the store carry environment, region and app key, so they never
 * meet. To try it, start `brokerwire simulate` twice and add `_2` to the names that the second one prints (README.md here has the
 * line).
 */
import { createBrokerage } from '@brokerwire/client/edge'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { createFileStore } from '@brokerwire/stores/file'

const { env } = process
const store = createFileStore({ directory: env.STORE_DIRECTORY ?? '.brokerwire' })
const brokerages = ['', '_2'].map((suffix) =>
  createBrokerage({
    // None of these has a default: a missing one is refused by name.
    region: env[`BROKERWIRE_REGION${suffix}`] as Region,
    environment: env[`BROKERWIRE_ENVIRONMENT${suffix}`] as Environment,
    appKey: env[`BROKERWIRE_APP_KEY${suffix}`] ?? '',
    appSecret: env[`BROKERWIRE_APP_SECRET${suffix}`] ?? '',
    overrides: { httpUrl: env[`BROKERWIRE_HTTP_URL${suffix}`] },
    store,
  }),
)

try {
  await Promise.all(
    brokerages.map(async ({ accessTokens, endpoint, http, signer }) => {
      const token = await accessTokens.get()
      const { status } = await http.request({ method: 'GET', path: '/openapi/config' })
      const until =
        token?.expiresAtMs === undefined ? 'an unknown time' : new Date(token.expiresAtMs).toISOString()
      console.log(
        `${signer.appKey} (${endpoint.environment} ${endpoint.region}): ${status}, token until ${until}`,
      )
    }),
  )
} finally {
  await Promise.all(brokerages.map((brokerage) => brokerage[Symbol.asyncDispose]()))
}
