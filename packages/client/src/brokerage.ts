/** The composition of all packages, with streams, for Node. */

import type { ProxyOption, StateItem, TokenProvider } from '@brokerwire/core'
import { requireUrl } from '@brokerwire/core/endpoints'
import {
  allClosed,
  closable,
  coreOptionFailure,
  type FieldsOf,
  isRecord,
  object,
  observer,
  omit,
  oneOf,
  port,
  proxyOption,
  readOptions,
  type Schema,
  StreamGroup,
  typeName,
} from '@brokerwire/core/internal'
import { createNodeFetch } from '@brokerwire/core/proxy'
import { authorities } from '@brokerwire/core/proxy/internal'
import {
  clientTokens,
  type EdgeBrokerageOptions,
  type EdgeBrokerageWithClientTokens,
  type EdgeObserver,
  operationRateLimiter,
  rateLimiter,
} from '@brokerwire/edge'
import { compose, EDGE_BROKERAGE_OPTIONS, EDGE_OBSERVER, findPlugin } from '@brokerwire/edge/internal'
import type { OrderStateItem } from '@brokerwire/orders'
import type { ModuleEvent } from '@brokerwire/payloads'
import { createQuotes, type Quotes, type QuotesObserver, type QuotesOptions } from '@brokerwire/quotes'
import { QUOTES_OBSERVER, QUOTES_OPTIONS } from '@brokerwire/quotes/internal'
import {
  type AccountStreamOptions,
  createStreams,
  type EventStream,
  type Streams,
  type StreamsObserver,
  type StreamsOptions,
  type TradeStreamItem,
  type TradeStreamOptions,
  type WithStates,
} from '@brokerwire/streams'
import { STREAMS_OBSERVER, STREAMS_OPTIONS } from '@brokerwire/streams/internal'
import { type BrokerageBackfillOptions, backfillOption, createBackfillAdder } from './backfill.ts'
import { createStreamToken } from './stream-token.ts'

/** An observer of requests, tokens, streams and market data. Every function is optional. */
export interface BrokerageObserver extends EdgeObserver, StreamsObserver, QuotesObserver {}

/** Options of `createBrokerage`. The options are read once. Region and environment have no default. */
export interface BrokerageOptions<Event = ModuleEvent> extends EdgeBrokerageOptions {
  /**
   * Functions that receive reports of requests, tokens, streams and market data and change nothing. Reports of requests and tokens have
   * the `clientId` of the brokerage, those of the requests for tokens with `-tokens` at the end. @defaultValue none
   */
  readonly observer?: BrokerageObserver | undefined
  /**
   * An HTTP proxy for requests, streams and market data over TCP: its address, such as `http://host:port`, or
   * a function that returns the proxy for a target, such as `proxyFromEnvironment(process.env)` of
   * `@brokerwire/core/proxy`. More specific options, `http.fetch`, `streams.connection` (`proxy`,
   * `createConnection`) and those of `quotes()` (`proxy`, `socket`), override it.
   * @defaultValue none
   */
  readonly proxy?: ProxyOption | undefined
  /**
   * Certificates in PEM that are trusted instead of Node's own, for requests, streams and market data over TCP. `http.fetch` and
   * the options `tls` override it.
   * @defaultValue those of Node and `NODE_EXTRA_CA_CERTS`
   */
  readonly ca?: string | readonly string[] | undefined
  /**
   * Whether streams with order events compare orders with queries, after each gap and at `intervalMs`, and deliver what was missed
   * as items of type `state`: `true`, or options of `createOrderBackfill` of `@brokerwire/orders`. The queries send the stored
   * access token and never create one. @defaultValue false
   */
  readonly backfill?: boolean | BrokerageBackfillOptions | undefined
  /** Details of the streams. Address, signer, clock and store come from the composition. */
  readonly streams?:
    | (Omit<
        StreamsOptions<Event>,
        | 'signer'
        | 'eventsUrl'
        | 'moduleEventsUrl'
        | 'allowInsecure'
        | 'store'
        | 'identity'
        | 'clock'
        | 'accessTokens'
        | 'accessTokenRequired'
        | 'observer'
      > & {
        /**
         * The access token of subscriptions. `'auto'`: the stored token, if it is usable. It is read for each
         * attempt within a time limit and sent to the event hosts of the endpoint alone, not over your own
         * `transports`. A stream never creates a token, so call `accessTokens.get()` before. If the service
         * rejects a subscription with the token, one attempt without it follows; the stored token does not
         * change. `'never'`: no token. A token provider: the token that it returns.
         *
         * @defaultValue 'auto'
         */
        readonly accessTokens?: 'auto' | 'never' | TokenProvider | undefined
      })
    | undefined
}

/** Options of `brokerage.quotes()`. Addresses, HTTP client and clock come from the composition. */
export interface BrokerageQuotesOptions
  extends Omit<
    QuotesOptions,
    'http' | 'mqttUrl' | 'allowInsecure' | 'product' | 'clock' | 'group' | 'observer'
  > {
  /** Transport of MQTT, which selects the address of the endpoint. @defaultValue 'tcp' */
  readonly transport?: 'tcp' | 'websocket' | undefined
}

const fail = coreOptionFailure('OPTION_INVALID')

const accessTokenMode: Schema<'auto' | 'never' | TokenProvider> = (value = 'auto', path, fail) => {
  if (isRecord(value)) return port<TokenProvider>(['get', 'reportRejected'])(value, path, fail)
  if (value === 'auto' || value === 'never') return value
  throw fail(path, '"auto", "never" or a token provider', typeName(value))
}

// The groups of options below do not contain the options that the composition sets.
const BROKERAGE_OPTIONS = {
  ...EDGE_BROKERAGE_OPTIONS,
  proxy: proxyOption,
  ca: authorities,
  observer: observer<BrokerageObserver>({
    ...EDGE_OBSERVER,
    ...STREAMS_OBSERVER,
    ...QUOTES_OBSERVER,
  }),
  backfill: backfillOption,
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
        'accessTokens',
        'accessTokenRequired',
        'observer',
      ),
      accessTokens: accessTokenMode,
    },
    {},
  ),
} satisfies FieldsOf<BrokerageOptions>

const BROKERAGE_QUOTES_OPTIONS = {
  ...omit(QUOTES_OPTIONS, 'http', 'mqttUrl', 'allowInsecure', 'product', 'clock', 'group', 'observer'),
  transport: oneOf(['tcp', 'websocket'], 'tcp'),
} satisfies FieldsOf<BrokerageQuotesOptions>

/** All clients of one app key in one environment. `State` is the type of the states of the option `backfill`. */
export interface Brokerage<Event = ModuleEvent, State extends StateItem = never>
  extends EdgeBrokerageWithClientTokens,
    Omit<Streams<Event>, 'tradeEvents' | 'accountEvents'> {
  /** Creates a stream of order status changes, and of states that its own backfill adds. @throws StreamsError `STREAM_OPTION_INVALID`. */
  tradeEvents<Own extends StateItem>(
    options: WithStates<TradeStreamOptions, Own>,
  ): EventStream<TradeStreamItem | Own>
  /** Creates a stream of order status changes (subscribeType 1). @throws StreamsError `STREAM_OPTION_INVALID`. */
  tradeEvents(options: TradeStreamOptions): EventStream<TradeStreamItem | State>
  /** Creates a stream of orders and positions, and of states that its own backfill adds. @throws StreamsError `STREAM_OPTION_INVALID`. */
  accountEvents<Own extends StateItem>(
    options: WithStates<AccountStreamOptions, Own>,
  ): EventStream<TradeStreamItem | Own>
  /**
   * Creates a stream of orders and positions in one subscription, for a service that grants one subscription of this kind for
   * each app key. `item.kind` is `order`, `position`, `option` or `unknown`. @throws StreamsError `STREAM_OPTION_INVALID`.
   */
  accountEvents(options: AccountStreamOptions): EventStream<TradeStreamItem | State>
  /**
   * Creates a market data client of the app key, over MQTT. Each call creates one with separate connections. A client that starts
   * after `close()` fails with QuotesError `QUOTES_CLOSED`.
   *
   * @throws CoreError `ENDPOINT_UNKNOWN` if the table has no such address, or if `overrides` replaced only another one;
   * `OPTION_INVALID`; QuotesError `QUOTES_OPTION_INVALID`.
   */
  quotes(options?: BrokerageQuotesOptions): Quotes
}

/**
 * Composes signer, HTTP client, tokens and streams for one app key in one environment.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `streams.buffer.maxItems`; `ENDPOINT_INVALID` for an
 * insecure override. `moduleEvents()` throws CoreError `ENDPOINT_UNKNOWN` if the table has no such address.
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
 * console.log(brokerage.endpoint.baseUrl)
 * await brokerage.close()
 * ```
 */
export function createBrokerage<Event = ModuleEvent>(
  options: BrokerageOptions<Event> & { readonly backfill: true | BrokerageBackfillOptions },
): Brokerage<Event, OrderStateItem>
/** Composes the same without the option `backfill`, so that streams have no items of type `state`. */
export function createBrokerage<Event = ModuleEvent>(options: BrokerageOptions<Event>): Brokerage<Event>
export function createBrokerage<Event = ModuleEvent>(
  options: BrokerageOptions<Event>,
): Brokerage<Event, OrderStateItem> {
  const {
    streams: streamGroup,
    proxy,
    ca,
    backfill,
    ...edgeOptions
  } = readOptions(fail, options, BROKERAGE_OPTIONS)
  const { allowInsecure, appKey, observer } = edgeOptions
  const plugins = [
    findPlugin(edgeOptions.plugins, 'clientTokens') ?? clientTokens(),
    findPlugin(edgeOptions.plugins, 'rateLimiter') ?? rateLimiter(),
    findPlugin(edgeOptions.plugins, 'operationRateLimiter') ?? operationRateLimiter(),
  ] as const
  const hasOwnNetwork = proxy !== undefined || ca !== undefined
  const { fetch = hasOwnNetwork ? createNodeFetch({ proxy, ca }) : undefined } = edgeOptions.http
  const http = { ...edgeOptions.http, fetch }
  const parts = compose({ ...edgeOptions, http, plugins })
  const { endpoint, signer, accessTokens, clock, serverClock, store, identity } = parts
  const { accessTokens: streamTokens, connection, supervision, ...streamOptions } = streamGroup
  const hasOwnConnection = connection.proxy !== undefined || connection.createConnection !== undefined
  const streamToken = createStreamToken({ accessTokens, http: parts.http, identity, clock })
  const isAuto = streamTokens === 'auto'
  const streams = createStreams<Event>({
    ...streamOptions,
    // The standard decoders are those of the type parameter's default.
    payloads: streamOptions.payloads as StreamsOptions<Event>['payloads'],
    onClockSkew:
      streamOptions.onClockSkew ??
      (({ serverNowMs }) => serverNowMs !== undefined && serverClock.sync(serverNowMs)),
    accessTokens: isAuto ? streamToken.provider : streamTokens === 'never' ? undefined : streamTokens,
    accessTokenRequired: streamTokens === 'never' ? undefined : streamToken.isRequired,
    supervision: {
      ...supervision,
      onTokenRejected: supervision.onTokenRejected ?? (isAuto ? 'without-token' : 'fail'),
    },
    connection: {
      ...connection,
      ...(hasOwnConnection ? {} : { proxy }),
      tls: { ...(ca === undefined ? {} : { ca }), ...connection.tls },
    },
    signer,
    eventsUrl: endpoint.eventsUrl,
    moduleEventsUrl: endpoint.moduleEventsUrl,
    allowInsecure,
    store,
    identity,
    clock,
    observer,
  })
  const withBackfill = createBackfillAdder(backfill, {
    http: parts.http,
    clock,
    accessTokens,
    tokenMode: edgeOptions.tokens.tokenMode,
    streamToken,
  })
  const openQuotes = new StreamGroup()
  return {
    endpoint,
    identity,
    signer,
    http: parts.http,
    accessTokens,
    clientTokens: parts.clientTokens,
    quotes(input) {
      const { transport, ...quotesOptions } = readOptions(fail, input ?? {}, BROKERAGE_QUOTES_OPTIONS)
      const entry = transport === 'tcp' ? 'mqttUrl' : 'mqttWebSocketUrl'
      const hasOwnSocket = (quotesOptions.socket ?? quotesOptions.webSocket) !== undefined
      const isOverTcp = transport === 'tcp' && quotesOptions.socket === undefined
      return createQuotes({
        ...quotesOptions,
        // The host's WebSocket ignores a proxy, so `createQuotes` rejects the option unless the caller passes a class.
        proxy: quotesOptions.proxy ?? (hasOwnSocket ? undefined : proxy),
        tls: { ca: quotesOptions.tls.ca ?? (isOverTcp ? ca : undefined) },
        http: parts.http,
        mqttUrl: requireUrl(endpoint, entry),
        allowInsecure,
        product: { kind: 'server', appKey },
        clock,
        observer,
        group: openQuotes,
      })
    },
    tradeEvents: (input: TradeStreamOptions | WithStates<TradeStreamOptions, StateItem>) =>
      streams.tradeEvents(withBackfill(input)),
    positionEvents: streams.positionEvents,
    accountEvents: (input: AccountStreamOptions | WithStates<AccountStreamOptions, StateItem>) =>
      streams.accountEvents(withBackfill(input)),
    moduleEvents(input) {
      requireUrl(endpoint, 'moduleEventsUrl')
      return streams.moduleEvents(input)
    },
    ...closable(async () => {
      streamToken.close()
      await allClosed([streams.close(), openQuotes.closeAll(), parts.close()])
    }),
  }
}
