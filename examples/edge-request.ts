/** A request with an access token, which is kept in files. */
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { createBrokerage, rateLimiter } from '@brokerwire/edge'
import { createFileStore } from '@brokerwire/stores/file'

const { env } = process
const brokerage = createBrokerage({
  region: env.BROKERWIRE_REGION as Region,
  environment: env.BROKERWIRE_ENVIRONMENT as Environment,
  appKey: env.BROKERWIRE_APP_KEY ?? '',
  appSecret: env.BROKERWIRE_APP_SECRET ?? '',
  overrides: { baseUrl: env.BROKERWIRE_BASE_URL },
  store: createFileStore({ directory: env.BROKERWIRE_STORE ?? '.brokerwire' }),
  plugins: [rateLimiter()],
  tokens: { onSecondFactor: () => console.log('enter the code in the app') },
})

// In production the first request waits until a person has entered the code.
const response = await brokerage.http.request({ method: 'GET', path: '/openapi/config' })
console.log(`status ${response.status}`)
await brokerage.close()
