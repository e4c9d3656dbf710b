/** The umbrella with streams, for Node. */

import { requireUrl } from '@brokerwire/core/endpoints'
import {
  allClosed,
  ConsumerGroup,
  closable,
  coreOptionFailure,
  oneOf,
  ownOptions,
  requireOptions,
} from '@brokerwire/core/internal'
import type { EdgeBrokerageOptions, EdgeBrokerageWithClientTokens } from '@brokerwire/edge'
import { compose } from '@brokerwire/edge/compose'
import type { ModuleEvent } from '@brokerwire/payloads'
import { createQuotes, type Quotes, type QuotesOptions } from '@brokerwire/quotes'
import { createStreams, type Streams, type StreamsOptions } from '@brokerwire/streams'
import { createClientTokens, createTokenRateLimiter } from '@brokerwire/tokens'

/** Options of {@link createBrokerage}. Region and environment have no default. Read once. */
export interface BrokerageOptions<Event = ModuleEvent> extends EdgeBrokerageOptions {
  /** Details of the streams. Address, signer, clock and store come from the composition. */
  readonly streams?:
    | (Omit<
        StreamsOptions<Event>,
        'signer' | 'eventsUrl' | 'moduleEventsUrl' | 'allowInsecure' | 'store' | 'cursorKey' | 'clock'
      > & {
        /**
         * Sends the stored access token with every subscription, where one is usable. A stream never creates one: call
         * `accessTokens.get()` before. An `accessToken` hook of your own goes first.
         *
         * @defaultValue false: whether the event hosts want a token is not documented
         */
        readonly sendAccessToken?: boolean | undefined
      })
    | undefined
}

/** Options of `brokerage.quotes()`. Addresses, HTTP client and clock come from the composition. */
export interface BrokerageQuotesOptions
  extends Omit<QuotesOptions, 'http' | 'mqttUrl' | 'allowInsecure' | 'product' | 'clock' | 'group'> {
  /** Which of the endpoint's addresses. @defaultValue 'tcp' */
  readonly transport?: 'tcp' | 'websocket' | undefined
}

const fail = coreOptionFailure('OPTION_INVALID')

// What the composition sets is not among them: it would be lost without a word.
const STREAM_OPTIONS = {
  sendAccessToken: 1,
  transports: 1,
  connection: 1,
  payloads: 1,
  random: 1,
  learnClockOffset: 1,
  accessToken: 1,
  observer: 1,
  supervision: 1,
  budget: 1,
  queue: 1,
  maxNameBytes: 1,
} as const satisfies { readonly [Name in keyof NonNullable<BrokerageOptions['streams']>]-?: 1 }

const QUOTES_OPTIONS = {
  transport: 1,
  maxConnections: 1,
  symbolsPerConnection: 1,
  paths: 1,
  pathFallback: 1,
  apiVersion: 1,
  grab: 1,
  supervision: 1,
  queue: 1,
  maxPacketBytes: 1,
  fill: 1,
  tls: 1,
  webSocket: 1,
  socket: 1,
  sessionId: 1,
  random: 1,
  observer: 1,
  signal: 1,
} as const satisfies { readonly [Name in keyof BrokerageQuotesOptions]-?: 1 }

/** Everything for one app key in one environment: the streams have the environment of the HTTP client. */
export interface Brokerage<Event = ModuleEvent> extends EdgeBrokerageWithClientTokens, Streams<Event> {
  /**
   * Market data of the app key, over MQTT. Each call makes one with connections of its own. One that is begun after
   * `close()` fails with QuotesError `QUOTES_CLOSED`.
   *
   * @throws CoreError `ENDPOINT_UNKNOWN` where no source names the address, or `overrides` replaced the HTTP host alone,
   * `OPTION_INVALID`; QuotesError `QUOTES_OPTION_INVALID`.
   */
  quotes(options?: BrokerageQuotesOptions): Quotes
}

/**
 * Composes signer, HTTP client, tokens and streams for one app key in one environment.
 *
 * @throws CoreError `ENDPOINT_INVALID`, `CLOCK_INVALID`; the error of the package whose option is wrong. `moduleEvents()` throws
 * CoreError `ENDPOINT_UNKNOWN` where no source names the address.
 *
 * @example
 * ```ts
 * import { createBrokerage } from '@brokerwire/client'
 * import { createMemoryStore } from '@brokerwire/stores'
 *
 * declare const appKey: string
 * declare const appSecret: string
 *
 * const brokerage = createBrokerage({
 *   region: 'us',
 *   environment: 'sandbox',
 *   appKey,
 *   appSecret,
 *   store: createMemoryStore(),
 * })
 * console.log(brokerage.endpoint.httpUrl)
 * await brokerage.close()
 * ```
 */
export function createBrokerage<Event = ModuleEvent>(options: BrokerageOptions<Event>): Brokerage<Event> {
  const own = ownOptions(options)
  const {
    streams: streamGroup,
    clientTokens: makeClientTokens = createClientTokens,
    rateLimiter = createTokenRateLimiter,
    ...others
  } = own
  const parts = compose({ ...others, clientTokens: makeClientTokens, rateLimiter })
  const { endpoint, signer, http, accessTokens, clientTokens, clock, serverClock, store, storeKey } = parts
  const group = requireOptions(fail, 'streams', streamGroup ?? {}, STREAM_OPTIONS)
  const { sendAccessToken = false, accessToken, ...streamOptions } = group
  const storedToken = async () => (await accessTokens.peek())?.token
  const streams = createStreams<Event>({
    learnClockOffset: ({ serverNowMs }) => serverNowMs !== undefined && serverClock.learn(serverNowMs),
    ...streamOptions,
    accessToken: accessToken ?? (sendAccessToken ? storedToken : undefined),
    signer,
    eventsUrl: endpoint.eventsUrl,
    moduleEventsUrl: endpoint.moduleEventsUrl,
    allowInsecure: own.allowInsecure,
    store,
    cursorKey: storeKey,
    clock,
  })
  const openQuotes = new ConsumerGroup()
  return {
    endpoint,
    signer,
    http,
    accessTokens,
    clientTokens,
    quotes(input) {
      const { transport = 'tcp', ...quotesOptions } = requireOptions(
        fail,
        'options',
        input ?? {},
        QUOTES_OPTIONS,
      )
      const entry =
        oneOf(['tcp', 'websocket'])(transport, 'transport', fail) === 'tcp' ? 'mqttUrl' : 'mqttWebSocketUrl'
      return createQuotes({
        ...quotesOptions,
        http,
        mqttUrl: requireUrl(endpoint, entry),
        allowInsecure: own.allowInsecure,
        product: { kind: 'server', appKey: own.appKey },
        clock,
        group: openQuotes,
      })
    },
    tradeEvents: streams.tradeEvents,
    positionEvents: streams.positionEvents,
    moduleEvents(input) {
      requireUrl(endpoint, 'moduleEventsUrl')
      return streams.moduleEvents(input)
    },
    ...closable(async () => {
      await allClosed([streams.close(), openQuotes.closeAll(), parts.close()])
    }),
  }
}
