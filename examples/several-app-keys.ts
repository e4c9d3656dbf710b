/**
 * Several app keys in one process and one store. Everything that belongs to a key hangs on its own brokerage: signer,
 * token, limit of token calls, learned clock. Keys in the store carry environment, region and app key, so they never
 * meet. To try it, start `brokerwire simulate` twice and add `_2` to the names that the second one prints.
 */
import { createBrokerage } from '@brokerwire/client/edge'
import { createFileStore } from '@brokerwire/stores/file'
import { readSettings } from './settings.ts'

const store = createFileStore({ directory: process.env.STORE_DIRECTORY ?? '.brokerwire' })
const brokerages = [readSettings(), readSettings('_2')].map((settings) =>
  createBrokerage({ ...settings, store }),
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
