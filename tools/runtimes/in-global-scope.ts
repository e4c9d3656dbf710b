/**
 * A Worker that calls every create function in its global scope, where asynchronous work, timers and random
 * values are forbidden. It uses the results in several requests at the same time.
 */
import * as core from '@brokerwire/core'
import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
import * as internal from '@brokerwire/core/internal'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import { clientTokens as clientTokensPlugin, createBrokerage, rateLimiter } from '@brokerwire/edge'
import { createHttpClient } from '@brokerwire/http'
import { createOrderBackfill, createOrderJournal } from '@brokerwire/orders'
import { createTelemetry } from '@brokerwire/otel'
import { createDriftReport, createPayloads } from '@brokerwire/payloads'
import { createQuotes } from '@brokerwire/quotes'
import { createInMemoryNonceStore, createSigner, createVerifier } from '@brokerwire/signer'
import { createSigningInterceptor } from '@brokerwire/signer/connect'
import { createSignedFetch } from '@brokerwire/signer/fetch'
import { createGrpcSigningInterceptor } from '@brokerwire/signer/grpc'
import { createAesGcmCipher, createEncryptedStore, createMemoryStore } from '@brokerwire/stores'
import { createDurableObjectStore } from '@brokerwire/stores/durable-object'
import { createNatsStore } from '@brokerwire/stores/nats'
import { createPostgresStore } from '@brokerwire/stores/postgres'
import { createRedisStore } from '@brokerwire/stores/redis'
import * as tokens from '@brokerwire/tokens'

declare const SIMULATOR: Readonly<Record<'baseUrl' | 'appKey' | 'appSecret', string>>

const { baseUrl, appKey, appSecret } = SIMULATOR
const secret = new core.Secret(appSecret)
const serverClock = core.createServerClock()
const signer = createSigner({ appKey, appSecret: secret, now: serverClock.now })
const verifier = createVerifier({ secretFor: () => secret, nonces: createInMemoryNonceStore() })
const where = { environment: 'sandbox', region: 'us' } as const
const store = createEncryptedStore({
  store: createMemoryStore(),
  cipher: createAesGcmCipher({ keys: [{ id: 'one', key: btoa('0123456789abcdef0123456789abcdef') }] }),
})
const endpoint = resolveEndpoint({ ...where, overrides: { baseUrl } })
const identity = createServiceIdentity(endpoint, appKey)
const service = { baseUrl, signer, serverClock }
const limiter = tokens.createTokenRateLimiter({ store, identity })
const operationLimiter = tokens.createOperationRateLimiter({ store, identity })
const { access, client } = tokens.createTokenEndpoints(createHttpClient(service), { limiter })
const accessTokens = tokens.createAccessTokens({ endpoints: access, store, identity })
const clientTokens = tokens.createClientTokens({ endpoints: client, store, identity })
const http = createHttpClient({ ...service, accessTokens, operationRateLimiter: operationLimiter })
const brokerage = createBrokerage({
  ...where,
  appKey,
  appSecret: secret,
  overrides: { baseUrl },
  plugins: [clientTokensPlugin(), rateLimiter()],
})
const payloads = createPayloads()
const drift = createDriftReport()
const redact = core.createRedactor([appSecret])
/** A port that has a function under every name. */
const anyPort = new Proxy({}, { get: () => async () => null }) as never
const unused = [
  internal.createAbortController(),
  internal.createReporter({}, {}),
  internal.createAsyncStream(anyPort, anyPort, anyPort),
  createDurableObjectStore({ namespace: { idFromName: () => ({}), get: () => ({}) } as never }),
  // Stores with clients that are never called.
  createPostgresStore({ client: { query: async () => ({ rows: [] }) } }),
  createRedisStore({ client: { call: async () => null } as never }),
  createNatsStore({ bucket: anyPort, connection: anyPort }),
  createSigningInterceptor({ signer }),
  createSignedFetch({ signer, fetch }),
  createGrpcSigningInterceptor({ grpc: { InterceptingCall: class {}, Metadata: class {} } as never, signer }),
  createVirtualClock(0),
  createSeededRandom(1),
  createOrderBackfill({ http }),
  createOrderJournal({ http, store }),
  createTelemetry(),
  createQuotes({ http, mqttUrl: 'wss://quotes.example.com/mqtt', product: { kind: 'server', appKey } }),
]

const request = { method: 'GET', path: '/openapi/config' } as const

const worker = {
  async fetch(): Promise<Response> {
    // Created for each lock, because the abort signal belongs to a request.
    const lease = core.createLease({
      clock: createVirtualClock(0),
      validMs: 2,
      extendMs: 1,
      retryMs: 1,
      extend: async () => true,
      lostReason: (why) => new Error(why),
    })
    const answers = await Promise.all([http.request(request), brokerage.http.request(request)])
    const token = await clientTokens.get('anna')
    const signed = await signer.sign({ host: 'h.example', path: '/' })
    const verdict = await verifier.verify({ host: 'h.example', target: '/', headers: signed.headers })
    return Response.json({
      statuses: answers.map(({ status }) => status),
      verdict: verdict.ok,
      token: String(token.accessToken),
      shown: redact(`the secret is ${appSecret}`),
      made: [payloads, drift, lease, ...unused].every((one) => one !== undefined),
    })
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
