/**
 * A Worker that makes everything in its global scope, where asynchronous work, timers and random values are forbidden,
 * and uses it in requests, in several at once. Each `create...` of the entry points that run there stands here.
 */
import { createConsumer, createLease, createRedactor, createServerClock, Secret } from '@brokerwire/core'
import { resolveEndpoint } from '@brokerwire/core/endpoints'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import { createBrokerage } from '@brokerwire/edge'
import { createHttpClient } from '@brokerwire/http'
import { createDriftReport, createPayloads } from '@brokerwire/payloads'
import { createQuotes } from '@brokerwire/quotes'
import { createNonceMemory, createSigner, createVerifier } from '@brokerwire/signer'
import { createAesGcmCipher, createEncryptedStore, createMemoryStore } from '@brokerwire/stores'
import { createDurableObjectStore } from '@brokerwire/stores/durable-object'
import { createNatsStore } from '@brokerwire/stores/nats'
import { createPostgresStore } from '@brokerwire/stores/postgres'
import { createRedisStore } from '@brokerwire/stores/redis'
import {
  createAccessTokens,
  createClientTokens,
  createTokenApi,
  createTokenCalls,
  createTokenRateLimiter,
} from '@brokerwire/tokens'

declare const SIMULATOR: {
  readonly httpUrl: string
  readonly appKey: string
  readonly appSecret: string
}

const { httpUrl, appKey, appSecret } = SIMULATOR
const secret = new Secret(appSecret)
const serverClock = createServerClock()
const signer = createSigner({ appKey, appSecret: secret, now: serverClock.now })
const verifier = createVerifier({ secretFor: () => secret, nonces: createNonceMemory() })
const key = { environment: 'sandbox', region: 'us', appKey } as const
const store = createEncryptedStore({
  store: createMemoryStore(),
  cipher: createAesGcmCipher({ keys: [{ id: 'one', key: btoa('0123456789abcdef0123456789abcdef') }] }),
})
const endpoint = resolveEndpoint({ environment: 'sandbox', region: 'us', overrides: { httpUrl } })
const service = { baseUrl: endpoint.httpUrl, signer, serverClock }
const limiter = createTokenRateLimiter({ store, key })
const { access, client } = createTokenApi(createHttpClient(service), { limiter })
const accessTokens = createAccessTokens({ api: access, store, key })
const clientTokens = createClientTokens({ api: client, store, key })
const http = createHttpClient({ ...service, accessTokens })
const brokerage = createBrokerage({
  ...key,
  appSecret: secret,
  overrides: { httpUrl },
  clientTokens: createClientTokens,
  rateLimiter: createTokenRateLimiter,
})
const payloads = createPayloads()
const drift = createDriftReport()
const redact = createRedactor([appSecret])
/** A port whose every member can be called. */
const anyPort = new Proxy({}, { get: () => async () => null }) as never
const unused = [
  createConsumer(anyPort, anyPort, (option) => new Error(option)),
  createDurableObjectStore({ namespace: { idFromName: () => ({}), get: () => ({}) } as never }),
  // Ports whose calls nobody makes here: a Worker has a client of its own.
  createPostgresStore({ client: { query: async () => ({ rows: [] }) } }),
  createRedisStore({ client: { call: async () => null } as never }),
  createNatsStore({ bucket: anyPort, connection: anyPort }),
  createVirtualClock(0),
  createSeededRandom(1),
  createTokenCalls(createHttpClient(service), { limiter }),
  createQuotes({ http, mqttUrl: 'wss://quotes.example.com/mqtt', product: { kind: 'server', appKey } }),
]

const request = { method: 'GET', path: '/openapi/config' } as const

const worker = {
  async fetch(): Promise<Response> {
    // For drivers of stores: made for each lock, as its signal is the host's.
    const lease = createLease({
      clock: createVirtualClock(0),
      validMs: 2,
      prolongMs: 1,
      retryMs: 1,
      prolong: async () => true,
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
