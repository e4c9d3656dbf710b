/**
 * Several app keys in one process with one store. Each app key has its own brokerage, with signer, token, rate limit of token calls and
 * server clock. Store keys contain environment, region, app key and host, so that they do not collide. To try it, start
 * `brokerwire simulate` twice and add `_2` to the names that the second one prints (README.md has the command).
 */

import { isBrokerwireError, type Store } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { createBrokerage } from '@brokerwire/edge'
import { createFileStore } from '@brokerwire/stores/file'

const { env } = process

async function show(suffix: string, store: Store): Promise<void> {
  await using brokerage = createBrokerage({
    // These have no default. If one is missing, the error has its name.
    region: env[`BROKERWIRE_REGION${suffix}`] as Region,
    environment: env[`BROKERWIRE_ENVIRONMENT${suffix}`] as Environment,
    appKey: env[`BROKERWIRE_APP_KEY${suffix}`] ?? '',
    appSecret: env[`BROKERWIRE_APP_SECRET${suffix}`] ?? '',
    overrides: { baseUrl: env[`BROKERWIRE_BASE_URL${suffix}`] },
    store,
  })
  const { accessTokens, endpoint, http, signer } = brokerage
  const token = await accessTokens.get()
  const { status } = await http.request({ method: 'GET', path: '/openapi/config' })
  const until =
    token?.expiresAtMs === undefined ? 'an unknown time' : new Date(token.expiresAtMs).toISOString()
  console.log(
    `${signer.appKey} (${endpoint.environment} ${endpoint.region}): ${status}, token until ${until}`,
  )
}

try {
  const store = createFileStore({ directory: env.BROKERWIRE_STORE ?? '.brokerwire' })
  await Promise.all(['', '_2'].map((suffix) => show(suffix, store)))
} catch (error) {
  if (!isBrokerwireError(error)) throw error
  // Messages have the name of the option, never its value, so that they are safe to print.
  console.error(`${error.code}: ${error.message}`)
  process.exitCode = 1
}
