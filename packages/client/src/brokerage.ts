/** The umbrella with streams, for Node. */

import { requireUrl } from '@brokerwire/core/endpoints'
import {
  allClosed,
  boolean,
  ConsumerGroup,
  closable,
  coreOptionFailure,
  type FieldsOf,
  object,
  omit,
  oneOf,
  readOptions,
} from '@brokerwire/core/internal'
import type { EdgeBrokerageOptions, EdgeBrokerageWithClientTokens } from '@brokerwire/edge'
import { compose, EDGE_BROKERAGE_OPTIONS } from '@brokerwire/edge/internal'
import type { ModuleEvent } from '@brokerwire/payloads'
import { createQuotes, type Quotes, type QuotesOptions } from '@brokerwire/quotes'
import { QUOTES_OPTIONS } from '@brokerwire/quotes/internal'
import { createStreams, type Streams, type StreamsOptions } from '@brokerwire/streams'
import { STREAMS_OPTIONS } from '@brokerwire/streams/internal'
import { createClientTokens, createTokenRateLimiter } from '@brokerwire/tokens'

/** Options of {@link createBrokerage}. Region and environment have no default. Read once. */
export interface BrokerageOptions<Event = ModuleEvent> extends EdgeBrokerageOptions {
  /** Details of the streams. Address, signer, clock and store come from the composition. */
  readonly streams?:
    | (Omit<
        StreamsOptions<Event>,
        'signer' | 'eventsUrl' | 'moduleEventsUrl' | 'allowInsecure' | 'store' | 'identity' | 'clock'
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

// Options that the composition sets are left out of the groups.
const BROKERAGE_OPTIONS = {
  ...EDGE_BROKERAGE_OPTIONS,
  streams: object(
    {
      ...omit(
        STREAMS_OPTIONS,
        'signer',
        'eventsUrl',
        'moduleEventsUrl',
        'allowInsecure',
        'store',
        'identity',
        'clock',
      ),
      sendAccessToken: boolean(false),
    },
    {},
  ),
} satisfies FieldsOf<BrokerageOptions>

const BROKERAGE_QUOTES_OPTIONS = {
  ...omit(QUOTES_OPTIONS, 'http', 'mqttUrl', 'allowInsecure', 'product', 'clock', 'group'),
  transport: oneOf(['tcp', 'websocket'], 'tcp'),
} satisfies FieldsOf<BrokerageQuotesOptions>

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
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `streams.queue.maxItems`; `ENDPOINT_INVALID` for an
 * insecure override. `moduleEvents()` throws
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
  const { streams: streamGroup, ...edgeOptions } = readOptions(fail, options, BROKERAGE_OPTIONS)
  const { clientTokens: makeClientTokens = createClientTokens, rateLimiter = createTokenRateLimiter } =
    edgeOptions
  const { allowInsecure, appKey } = edgeOptions
  const parts = compose({ ...edgeOptions, clientTokens: makeClientTokens, rateLimiter })
  const { endpoint, signer, http, accessTokens, clientTokens, clock, serverClock, store, identity } = parts
  const { sendAccessToken, accessToken, ...streamOptions } = streamGroup
  const storedToken = async () => (await accessTokens.peek())?.token
  const streams = createStreams<Event>({
    ...streamOptions,
    // The standard decoders are those of the type parameter's default.
    payloads: streamOptions.payloads as StreamsOptions<Event>['payloads'],
    learnClockOffset:
      streamOptions.learnClockOffset ??
      (({ serverNowMs }) => serverNowMs !== undefined && serverClock.learn(serverNowMs)),
    accessToken: accessToken ?? (sendAccessToken ? storedToken : undefined),
    signer,
    eventsUrl: endpoint.eventsUrl,
    moduleEventsUrl: endpoint.moduleEventsUrl,
    allowInsecure,
    store,
    identity,
    clock,
  })
  const openQuotes = new ConsumerGroup()
  return {
    endpoint,
    identity,
    signer,
    http,
    accessTokens,
    clientTokens,
    quotes(input) {
      const { transport, ...quotesOptions } = readOptions(fail, input ?? {}, BROKERAGE_QUOTES_OPTIONS)
      const entry = transport === 'tcp' ? 'mqttUrl' : 'mqttWebSocketUrl'
      return createQuotes({
        ...quotesOptions,
        http,
        mqttUrl: requireUrl(endpoint, entry),
        allowInsecure,
        product: { kind: 'server', appKey },
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
