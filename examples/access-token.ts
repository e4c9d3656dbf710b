/** A stored access token for signed requests, from the parts that `createBrokerage()` composes. */
import {
  createServiceIdentity,
  type Environment,
  type Region,
  requireUrl,
  resolveEndpoint,
} from '@brokerwire/core/endpoints'
import { createHttpClient } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { createFileStore } from '@brokerwire/stores/file'
import { createAccessTokens, createTokenEndpoints, createTokenRateLimiter } from '@brokerwire/tokens'

const { env } = process
const [region, environment] = [env.BROKERWIRE_REGION as Region, env.BROKERWIRE_ENVIRONMENT as Environment]
const [appKey, appSecret] = [env.BROKERWIRE_APP_KEY ?? '', env.BROKERWIRE_APP_SECRET ?? '']
const endpoint = resolveEndpoint({ region, environment, overrides: { baseUrl: env.BROKERWIRE_BASE_URL } })
const service = {
  baseUrl: requireUrl(endpoint, 'baseUrl'),
  signer: createSigner({ appKey, appSecret, algorithm: endpoint.algorithm }),
}
const identity = createServiceIdentity(endpoint, appKey)
const store = createFileStore({ directory: env.BROKERWIRE_STORE ?? '.brokerwire' })

// Token calls carry no token, so they use a client without one.
const limiter = createTokenRateLimiter({ store, identity })
const { access } = createTokenEndpoints(createHttpClient(service), { limiter })
const accessTokens = createAccessTokens({ endpoints: access, store, identity })

const http = createHttpClient({ ...service, accessTokens })
const { status } = await http.request({ method: 'GET', path: '/openapi/config' })
console.log(`status ${status}`)
await accessTokens.close()
