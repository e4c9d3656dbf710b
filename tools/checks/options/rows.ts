/** Every public function that takes options, with its required options. */
import { createLease, createServerClock } from '@brokerwire/core'
import { resolveEndpoint } from '@brokerwire/core/endpoints'
import { createNodeFetch } from '@brokerwire/core/proxy'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createBrokerage as createEdgeBrokerage, rateLimiter } from '@brokerwire/edge'
import { createStoredTokenClient } from '@brokerwire/edge/stored-token'
import { createHttpClient } from '@brokerwire/http'
import { createOrderBackfill, createOrderJournal } from '@brokerwire/orders'
import { createDriftReport, createPayloads, decodeJson, string } from '@brokerwire/payloads'
import { createQuotes, snapshotBackfill } from '@brokerwire/quotes'
import { createBatchSink, createFileSink, startRelay } from '@brokerwire/relay'
import { consumeRelay, createJetStreamSink } from '@brokerwire/relay/nats'
import { createPostgresSink } from '@brokerwire/relay/postgres'
import { createRedisSink } from '@brokerwire/relay/redis'
import { sinkContract } from '@brokerwire/relay/testing'
import { signWebhook, verifyWebhook } from '@brokerwire/relay/webhook'
import { createWebhookForwarder, createWebhookSink } from '@brokerwire/relay/webhook-sink'
import { createInMemoryNonceStore, createSigner, createVerifier, signRequest } from '@brokerwire/signer'
import { createSigningInterceptor } from '@brokerwire/signer/connect'
import { createSignedFetch } from '@brokerwire/signer/fetch'
import { createGrpcSigningInterceptor } from '@brokerwire/signer/grpc'
import { createSyncSigner } from '@brokerwire/signer/sync'
import { type Simulator, startSimulator, startTcpProxy } from '@brokerwire/simulator'
import { copyStore, createAesGcmCipher, createEncryptedStore, createMemoryStore } from '@brokerwire/stores'
import { createDurableObjectStore } from '@brokerwire/stores/durable-object'
import { createFileStore } from '@brokerwire/stores/file'
import { createNatsStore } from '@brokerwire/stores/nats'
import { createPostgresStore } from '@brokerwire/stores/postgres'
import { createRedisStore } from '@brokerwire/stores/redis'
import { storeContract } from '@brokerwire/stores/testing'
import { createStreams, createSubscriptionBudget, grpcConnections, readPolicy } from '@brokerwire/streams'
import { createStreamTransport } from '@brokerwire/streams/transport'
import {
  createAccessTokens,
  createClientTokens,
  createOperationRateLimiter,
  createTokenEndpoints,
  createTokenRateLimiter,
} from '@brokerwire/tokens'
import { createBrokerage } from '../../../packages/client/src/index.ts'

/** A call that takes options. */
export interface OptionRow {
  /** Package and function. For a group of options also the option that contains the group. */
  readonly name: string
  /** Prefix of the option names in messages, for example `'tokens.'`. */
  readonly within?: string
  /** The required options. */
  readonly least: object
  /** Calls the function with the options. The test closes the result. */
  call(options: never): unknown
}

const signer = createSigner({ appKey: 'app-key', appSecret: 'app-secret' })
/** The parts of grpc-js that an interceptor uses. */
const grpc = { InterceptingCall: class {}, Metadata: class {} }
const credentials = { appKey: 'app-key', appSecret: 'app-secret' }
const store = createMemoryStore()
const clock = createVirtualClock()
const identity = {
  environment: 'sandbox',
  region: 'us',
  appKey: 'app-key',
  baseUrl: 'https://api.example.com',
}
const never = async (): Promise<never> => {
  throw new Error('nothing is called')
}
const api = { create: never, check: never, refresh: never, request: never }
const namespace = { idFromName: () => 'id', get: () => ({ fetch: never }) }
const fetchNothing = never as never
const cipherKeys = [{ id: 'a', key: btoa('0'.repeat(32)) }]
const brokerage = { region: 'us', environment: 'sandbox', ...credentials }
const streamsOptions = {
  signer,
  eventsUrl: 'https://events.example',
  moduleEventsUrl: 'https://modules.example',
}
const quotesOptions = {
  http: { request: never },
  mqttUrl: 'mqtts://quotes.example:1883',
  product: { kind: 'server', appKey: 'app-key' },
} as const
const journalOptions = {
  store,
  http: { origin: 'https://service.example', request: never },
  accountId: 'A1',
}
const accounts = ['account']
const natsBucket = { get: never, create: never, update: never, delete: never, status: never }
const natsConnection = { jetstream: never }
const natsUnused = { publish: never, request: never, subscribe: () => ({ unsubscribe: () => {} }) }
const relayAddress = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' }
const relayed = { js: { jetstreamManager: never, consumers: {} }, address: relayAddress, durableName: 'a' }
const webhookSecret = `whsec_${btoa('0'.repeat(32))}`
const webhook = { body: new Uint8Array(), secrets: webhookSecret }
const webhookForwarder = { address: relayAddress, url: 'https://receiver.example', secrets: webhookSecret }
const webhookSink = { ...webhookForwarder, store }
const unlocked = new AbortController()

const access = () => createAccessTokens({ endpoints: api, store, identity })
const http = () =>
  createHttpClient({ baseUrl: 'https://service.example', signer, fetch: fetchNothing, maxRetries: 0 })
const streams = () => createStreams(streamsOptions)
const held = async (lock: Promise<{ release(): Promise<void> }> | undefined): Promise<void> =>
  (await lock)?.release()

const one = (name: string, least: object, call: (options: never) => unknown): OptionRow => ({
  name,
  least,
  call,
})
/** Creates a row for a group of options that is the value of another option. */
const group = (
  name: string,
  within: string,
  call: (group: never) => unknown,
  least: object = {},
): OptionRow => ({ name: `${name}, ${within}`, within: `${within}.`, least, call })

/**
 * Creates all rows.
 *
 * @param directory - The directory of the file store.
 * @param simulator - The simulator whose methods with options have rows.
 */
export function optionRows(directory: string, simulator: Simulator): readonly OptionRow[] {
  return [
    one('core resolveEndpoint', { region: 'us', environment: 'sandbox' }, resolveEndpoint),
    group('core resolveEndpoint', 'overrides', (overrides) =>
      resolveEndpoint({ region: 'us', environment: 'sandbox', overrides }),
    ),
    one('core createNodeFetch', {}, createNodeFetch),
    one('core createServerClock', {}, (options) => createServerClock(Date.now, options)),
    one(
      'core createLease',
      { clock, validMs: 1, extendMs: 1, retryMs: 1, extend: never, lostReason: String },
      createLease,
    ),

    one('signer createSigner', credentials, createSigner),
    one('signer createSyncSigner', credentials, createSyncSigner),
    one('signer createVerifier', { secretFor: () => 'secret' }, createVerifier),
    one('signer createInMemoryNonceStore', {}, createInMemoryNonceStore),
    one('signer createSigningInterceptor', { signer }, createSigningInterceptor),
    one('signer createGrpcSigningInterceptor', { grpc, signer }, createGrpcSigningInterceptor as never),
    one('signer createSignedFetch', { signer, fetch: fetchNothing }, createSignedFetch),
    one('signer signRequest', {}, (options) =>
      signRequest(signer, new Request('https://a.example/'), options),
    ),

    one('tokens createAccessTokens', { endpoints: api, store, identity }, createAccessTokens),
    group(
      'tokens createAccessTokens',
      'identity',
      (given) => createAccessTokens({ endpoints: api, store, identity: given }),
      identity,
    ),
    one('tokens get', { wait: false }, (options) => access().get(options)),
    one('tokens renew', {}, (options) => access().renew(options)),
    one('tokens reportRejected', {}, (options) =>
      access().reportRejected('token' as never, { status: 500 }, options),
    ),
    one('tokens watch', {}, (options) => access().watch(options)),
    one('tokens createClientTokens', { endpoints: api, store, identity }, createClientTokens),
    one('tokens get of client tokens', {}, (options) =>
      createClientTokens({ endpoints: api, store, identity }).get('customer', options),
    ),
    one('tokens createTokenRateLimiter', {}, createTokenRateLimiter),
    one('tokens createOperationRateLimiter', { identity }, createOperationRateLimiter),
    one('tokens acquire', {}, (options) => createTokenRateLimiter().acquire('check', options)),
    one('tokens createTokenEndpoints', {}, (options) => createTokenEndpoints(api, options)),

    one('stores createFileStore', { directory }, createFileStore),
    one('stores createDurableObjectStore', { namespace }, createDurableObjectStore),
    one('stores createAesGcmCipher', { keys: cipherKeys }, createAesGcmCipher),
    group(
      'stores createAesGcmCipher',
      'keys[0]',
      (given) => createAesGcmCipher({ keys: [given] }),
      cipherKeys[0],
    ),
    one(
      'stores createEncryptedStore',
      { store, cipher: createAesGcmCipher({ keys: cipherKeys }) },
      createEncryptedStore,
    ),
    one('stores createPostgresStore', { client: { query: never } }, createPostgresStore),
    one('stores createNatsStore', { bucket: natsBucket, connection: natsConnection }, createNatsStore),
    one('stores copyStore', {}, (options) => copyStore(createMemoryStore(), createMemoryStore(), options)),
    one('stores createRedisStore', { client: { eval: never, evalSha: never } }, createRedisStore),
    one('stores storeContract', { open: never }, storeContract),
    one('stores lock in memory', {}, (options) => held(store.lock?.('key', options))),
    one('stores lock of files', {}, (options) => held(createFileStore({ directory }).lock?.('key', options))),
    one('stores lock of an object', { signal: unlocked.signal }, (options) =>
      held(createDurableObjectStore({ namespace }).lock?.('key', options)),
    ),

    one('payloads createPayloads', {}, createPayloads),
    one('payloads createDriftReport', {}, createDriftReport),
    one('payloads decodeJson', {}, (options) => decodeJson(string, '"a"', options)),

    one('http createHttpClient', { baseUrl: 'https://service.example', signer }, createHttpClient),
    one('http request', { method: 'GET', path: '/x', authenticated: false }, (request) =>
      http().request(request),
    ),

    one('orders createOrderJournal', journalOptions, createOrderJournal),
    one('orders place', {}, (options) =>
      createOrderJournal(journalOptions).place({ newOrders: [] }, options),
    ),
    one('orders recover', {}, (options) => createOrderJournal(journalOptions).recover(options)),
    one('orders createOrderBackfill', { http: { request: never } }, createOrderBackfill),
    one('orders get', { clientOrderId: 'a' }, (id) => createOrderJournal(journalOptions).get(id)),

    one('edge createBrokerage', brokerage, createEdgeBrokerage),
    ...(['signing', 'http', 'tokens'] as const).map((name) =>
      group('edge createBrokerage', name, (given) =>
        createEdgeBrokerage({ ...brokerage, [name]: given } as never),
      ),
    ),
    group('edge', 'rateLimiter', rateLimiter),
    one('edge createStoredTokenClient', { ...brokerage, accessToken: never }, createStoredTokenClient),
    one('client createBrokerage', brokerage, createBrokerage),
    group('client createBrokerage', 'streams', (given) =>
      createBrokerage({ ...brokerage, streams: given } as never),
    ),
    group('client createBrokerage', 'backfill', (given) =>
      createBrokerage({ ...brokerage, backfill: given } as never),
    ),

    one('streams createStreams', streamsOptions, createStreams),
    ...(['transports', 'connection', 'supervision', 'buffer'] as const).map((name) =>
      group('streams createStreams', name, (given) => createStreams({ ...streamsOptions, [name]: given })),
    ),
    one('streams createSubscriptionBudget', {}, createSubscriptionBudget),
    group('streams grpcConnections', 'connection', grpcConnections),
    group('streams readPolicy', 'supervision', readPolicy),
    one('streams tradeEvents', { accounts }, (options) => streams().tradeEvents(options)),
    one('streams positionEvents', { accounts }, (options) => streams().positionEvents(options)),
    one('streams moduleEvents', { modules: 'all' }, (options) => streams().moduleEvents(options)),
    one('streams batches', {}, (options) => streams().tradeEvents({ accounts }).batches(options)),
    one('streams createStreamTransport', { baseUrl: 'https://service.example' }, createStreamTransport),

    one('relay startRelay', { config: { apps: [] }, store, openSink: never }, startRelay),
    one(
      'relay createBatchSink',
      { storage: { readTail: never, append: never, probe: never }, name: 'a' },
      createBatchSink,
    ),
    one('relay sinkContract', { open: never }, sinkContract),
    one('relay createFileSink', { directory, name: 'a', store }, createFileSink),
    one('relay createRedisSink', { client: { call: never }, address: relayAddress }, createRedisSink),
    group('relay createRedisSink', 'retention', (retention) =>
      createRedisSink({ client: { call: never }, address: relayAddress, retention } as never),
    ),
    one('relay createPostgresSink', { client: { query: never }, address: relayAddress }, createPostgresSink),
    group('relay createPostgresSink', 'retention', (retention) =>
      createPostgresSink({ client: { query: never }, address: relayAddress, retention } as never),
    ),
    one('relay createJetStreamSink', { connection: natsUnused, address: relayAddress }, createJetStreamSink),
    one('relay createWebhookSink', webhookSink, createWebhookSink),
    one('relay createWebhookForwarder', webhookForwarder, createWebhookForwarder),
    group(
      'relay createWebhookSink',
      'deadLetters',
      (deadLetters) => createWebhookSink({ ...webhookSink, deadLetters } as never),
      { directory },
    ),
    one('relay verifyWebhook', { headers: {}, ...webhook }, verifyWebhook),
    one('relay signWebhook', { id: 'msg_1', ...webhook }, signWebhook),
    one('relay consumeRelay', relayed, consumeRelay),
    group('relay consumeRelay', 'filter', (filter) => consumeRelay({ ...relayed, filter } as never)),
    one('relay batches', {}, (options) => consumeRelay(relayed as never).batches(options)),

    one('quotes createQuotes', quotesOptions, createQuotes),
    ...(['supervision', 'buffer', 'tls'] as const).map((name) =>
      group('quotes createQuotes', name, (given) => createQuotes({ ...quotesOptions, [name]: given })),
    ),
    group('quotes createQuotes', 'product', (product) => createQuotes({ ...quotesOptions, product }), {
      kind: 'server',
      appKey: 'app-key',
    }),
    group('quotes set', 'selection', (selection) => createQuotes(quotesOptions).set(selection), {
      symbols: ['A'],
      types: ['tick'],
      category: 'US_STOCK',
    }),
    group('quotes remove', 'removal', (removal) => createQuotes(quotesOptions).remove(removal), {
      symbols: ['A'],
      category: 'US_STOCK',
    }),
    one('quotes batches', {}, (options) => createQuotes(quotesOptions).batches(options)),
    one('quotes snapshotBackfill', { http: { request: never } }, snapshotBackfill),

    one('simulator startSimulator', { clock }, startSimulator),
    group('simulator startSimulator', 'quotes', (quotes) => startSimulator({ clock, quotes })),
    group('simulator startSimulator', 'trading', (trading) => startSimulator({ clock, trading })),
    group('simulator startSimulator', 'rateLimit', (rateLimit) => startSimulator({ clock, rateLimit }), {
      requests: 10,
      windowMs: 1000,
    }),
    one('simulator startTcpProxy', { target: simulator.eventsUrl }, startTcpProxy),
    one('simulator nextHttp', {}, (options) => simulator.faults.nextHttp({ kind: 'hang' }, options)),
    group('simulator nextHttp', 'fault', (fault) => simulator.faults.nextHttp(fault), { kind: 'hang' }),
    one('simulator nextSubscription', {}, (options) => simulator.faults.nextSubscription('end', options)),
    one('simulator nextFrame', {}, (options) => simulator.faults.nextFrame('repeat' as never, options)),
    one('simulator trading orders', {}, (options) => simulator.trading?.orders(options)),
    one('simulator trading setPosition', { quantity: '1' }, (options) =>
      simulator.trading?.setPosition(simulator.accounts[0] ?? '', 'AAPL', options),
    ),
    one('simulator trading nextCall', {}, (options) =>
      simulator.trading?.nextCall('orders.get', { kind: 'lost-response' }, options),
    ),
    one('simulator dropConnections', {}, (options) => simulator.dropConnections(options)),
    one('simulator goaway', {}, (options) => simulator.goaway(options)),
    one('simulator resume', {}, (options) => simulator.resume(options)),
    one('simulator route', {}, (options) =>
      simulator.route('GET', '/openapi/own', () => ({ status: 200 }), options),
    ),
    one('simulator requests', {}, (options) => simulator.requests(options)),
  ]
}

/** Exported functions named `create...` or `start...` that take no options. */
export const WITHOUT_OPTIONS: readonly string[] = [
  // These are operations, which are data and not functions.
  'createAccessToken',
  'createClientToken',
  // The argument of this function is a path.
  'createPrivateDirectory',
  // The arguments of these are ports, strings or numbers.
  'createAsyncStream',
  'createMemoryStore',
  'createMemoryStream',
  'createRedactor',
  'createSeededRandom',
  'createVirtualClock',
  'createSelfSignedCertificate',
  // The options of this function are two providers. Its package does not use the checks of core, because
  // they would add half of its size.
  'createTelemetry',
  // The argument of this function is an endpoint.
  'createServiceIdentity',
  // The argument of this function is a transport.
  'createStreamClient',
]
