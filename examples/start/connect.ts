import { createBrokerage } from '@brokerwire/client'
import { createFileStore } from '@brokerwire/stores/file'

const { env } = process
const brokerage = createBrokerage({
  region: 'us',
  environment: 'sandbox',
  appKey: env.BROKERWIRE_APP_KEY ?? '',
  appSecret: env.BROKERWIRE_APP_SECRET ?? '',
  // Only for a simulator. Without it, the request goes to the host of the region.
  overrides: { baseUrl: env.BROKERWIRE_BASE_URL },
  store: createFileStore({ directory: env.BROKERWIRE_STORE ?? '.brokerwire' }),
  tokens: {
    onSecondFactor: ({ remainingMs }) => console.log(`enter the code within ${remainingMs / 1000} s`),
  },
})

const token = await brokerage.accessTokens.get()
console.log('token usable until', new Date(token?.expiresAtMs ?? 0).toISOString())

const response = await brokerage.http.request({ method: 'GET', path: '/openapi/config' })
console.log(response.status, response.text())
await brokerage.close()
