/** The streams of one app key. Options are read once, and a stream connects at its first `next()`. */
import type { Clock, Closable, StateItem, Store, TokenProvider } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  boolean,
  clock,
  closable,
  custom,
  type FieldsOf,
  func,
  integer,
  isRecord,
  object,
  observer,
  optional,
  origin,
  port,
  readOptions,
  requireSecureOrigin,
  type Schema,
  StreamGroup,
  serviceIdentity,
  typeName,
} from '@brokerwire/core/internal'
import { type ModuleEvent, type ModuleName, payloads as standardPayloads } from '@brokerwire/payloads'
import type { Transport } from '@connectrpc/connect'
import { processBudget, type SubscriptionBudget } from './budget.ts'
import type { SharedContext } from './context.ts'
import { BUFFER_OPTIONS } from './delivery/item-queue.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamDecoders } from './items/decode-item.ts'
import { createModuleStream, type ModuleStreamItem, type ModuleStreamOptions } from './module-stream.ts'
import { STREAMS_OBSERVER, type StreamsObserver, type TradeStreamName } from './observer.ts'
import { optionInvalid } from './streams-error.ts'
import {
  CONNECTION_OPTIONS,
  type ConnectionFactory,
  createConnections,
  type GrpcConnectionOptions,
  type ServiceTarget,
} from './subscription/connection.ts'
import type { AccessTokenRequiredHook, ClockSkewHook, HeadersHook } from './subscription/hooks.ts'
import type { StreamSigner } from './subscription/subscribe.ts'
import { type SupervisionOptions, supervision } from './supervisor/policy.ts'
import {
  type AccountStreamOptions,
  createTradeStream,
  type TradeStreamItem,
  type TradeStreamOptions,
  type WithStates,
} from './trade-stream.ts'

/** Names of modules that `moduleEvents` accepts: all modules whose event type is published. */
export type StreamModuleName = Exclude<ModuleName, 'sod'>

/** Options of {@link createStreams}. They are read once: later changes of the object have no effect. */
export interface StreamsOptions<Event = ModuleEvent> {
  /** Signs each subscription: a `Signer` of `@brokerwire/signer`, with the algorithm of its option `streamAlgorithm`. */
  readonly signer: StreamSigner
  /** Origin of trade, position and account events, such as `'https://events-api.example.com'`. Required for these streams. */
  readonly eventsUrl?: string | undefined
  /** Origin of module events, such as `'https://module-events.example.com'`. Required for these streams. */
  readonly moduleEventsUrl?: string | undefined
  /**
   * Allows `http:` for hosts other than loopback. Anyone on the network path can then read the signature and the token.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
  /**
   * Connect transports, or functions that create a connection for each attempt. They decode messages themselves, so a message that
   * cannot be decoded ends the call, and the stream reconnects. @defaultValue this package's transport
   */
  readonly transports?:
    | {
        /** Transport of trade, position and account events. */
        readonly trade?: Transport | ConnectionFactory | undefined
        /** Transport of module events. */
        readonly module?: Transport | ConnectionFactory | undefined
      }
    | undefined
  /** Options of this package's transport, such as `proxy` and `tls`. */
  readonly connection?: Omit<GrpcConnectionOptions, 'allowInsecure'> | undefined
  /** Decoders of the payloads. @defaultValue `payloads` of `@brokerwire/payloads` */
  readonly payloads?: StreamDecoders<Event> | undefined
  /**
   * Store of the cursors, and of which events were handled.
   * @defaultValue nothing is stored: a restart begins without cursors
   */
  readonly store?: Store | undefined
  /**
   * Service and app key to which the cursors belong: `createServiceIdentity()` of `@brokerwire/core/endpoints`. Required with
   * `store`. Its origins must be those of `eventsUrl` and `moduleEventsUrl`.
   */
  readonly identity?: ServiceIdentity | undefined
  /** Clock and timers of the streams. @defaultValue `systemClock` */
  readonly clock?: Clock | undefined
  /**
   * Returns a random number from 0 up to, but not including, 1. Used for the backoff, and as the seed of the hashes that find
   * duplicates: with a predictable function a sender could choose ids that collide. @defaultValue `Math.random`
   */
  readonly random?: (() => number) | undefined
  /** Called after an AuthError, to correct the signer's clock. @defaultValue the clock is not corrected, and the attempt is retried once */
  readonly onClockSkew?: ClockSkewHook | undefined
  /**
   * Provides the token of the header `x-access-token`, for each attempt. After an AuthError the rejected token is reported with
   * status 401 and no code. If the provider has an `origin`, `identity` must be of the same service, and no token is sent over
   * a Connect transport of `transports`. @defaultValue no token is sent
   */
  readonly accessTokens?: TokenProvider | undefined
  /** Returns whether the service requires a token. Called after a subscription without one. @defaultValue not checked */
  readonly accessTokenRequired?: AccessTokenRequiredHook | undefined
  /**
   * Returns additional headers for an attempt to subscribe, for example `traceparent`. Called for each attempt, after
   * `observer.onStreamAttempt`. The headers are not signed. A header that the signature or the transport sets, or an error of the
   * function, ends the stream with `STREAM_OPEN_FAILED`. @defaultValue no additional headers
   */
  readonly headers?: HeadersHook | undefined
  /** Receives reports of attempts, states, frames, batches and notices. @defaultValue no reports */
  readonly observer?: StreamsObserver | undefined
  /** Options for reconnects, timeouts and heartbeats. */
  readonly supervision?: SupervisionOptions | undefined
  /** Limit of the subscriptions at the same time. @defaultValue 5 for each app key, shared by the whole process */
  readonly budget?: SubscriptionBudget | undefined
  /**
   * Bounds of the queue of each stream. When the queue is full, the stream stops reading. An item counts 512 bytes plus two for
   * each UTF-16 unit of its strings. If only some business types of an event type are selected, the payload is parsed, and counts
   * 24 more bytes for each UTF-16 unit. @defaultValue 256 items, 8 MiB
   */
  readonly buffer?:
    | { readonly maxItems?: number | undefined; readonly maxBytes?: number | undefined }
    | undefined
  /**
   * The longest id, request id, position or event type that is used to find duplicates and is stored, in bytes, two for each
   * UTF-16 unit. An event with a longer one is delivered after an `id-too-long` notice. @defaultValue 4096
   */
  readonly maxIdBytes?: number | undefined
}

const transport: Schema<Transport | ConnectionFactory> = (value, path, fail) => {
  const isTransport = isRecord(value) && typeof value.stream === 'function'
  if (isTransport || typeof value === 'function') return value as Transport | ConnectionFactory
  throw fail(path, 'a Connect transport or a function', typeName(value))
}

/** Schemas of {@link StreamsOptions}. */
export const STREAMS_OPTIONS = {
  signer: custom<StreamSigner>(
    'a signer, such as createSigner() of @brokerwire/signer returns',
    (value) => isRecord(value) && typeof value.signStream === 'function',
  ),
  eventsUrl: optional(origin),
  moduleEventsUrl: optional(origin),
  allowInsecure: boolean(false),
  transports: object({ trade: optional(transport), module: optional(transport) }, {}),
  connection: object(CONNECTION_OPTIONS, {}),
  payloads: optional(custom<StreamDecoders<unknown>>('an object of decoders', isRecord)),
  store: optional(port<Store>(['get', 'compareAndSet'])),
  identity: optional(serviceIdentity),
  clock,
  random: func(Math.random),
  onClockSkew: optional(func<ClockSkewHook>()),
  accessTokens: optional(port<TokenProvider>(['get', 'reportRejected'])),
  accessTokenRequired: optional(func<AccessTokenRequiredHook>()),
  headers: optional(func<HeadersHook>()),
  observer: observer<StreamsObserver>(STREAMS_OBSERVER),
  supervision,
  budget: optional(port<SubscriptionBudget>(['acquire'])),
  buffer: object(BUFFER_OPTIONS, {}),
  maxIdBytes: integer({ min: 64, max: 512 * 1024, default: 4096 }),
} satisfies FieldsOf<StreamsOptions>

/**
 * The streams of one app key. `close()` or disposal ends every open stream as its `return()` does, so that
 * the loop over it ends. A stream that starts afterwards fails with `STREAM_CLOSED`.
 */
export interface Streams<Event = ModuleEvent> extends Closable {
  /** Creates a stream of order status changes, and of states that its backfill adds. @throws StreamsError `STREAM_OPTION_INVALID`. */
  tradeEvents<State extends StateItem>(
    options: WithStates<TradeStreamOptions, State>,
  ): EventStream<TradeStreamItem | State>
  /** Creates a stream of order status changes (subscribeType 1). @throws StreamsError `STREAM_OPTION_INVALID`. */
  tradeEvents(options: TradeStreamOptions): EventStream<TradeStreamItem>
  /** Creates a stream of settlements of event-contract positions (subscribeType 2). @throws StreamsError `STREAM_OPTION_INVALID`. */
  positionEvents(options: TradeStreamOptions): EventStream<TradeStreamItem>
  /** Creates a stream of orders and positions, and of states that its backfill adds. @throws StreamsError `STREAM_OPTION_INVALID`. */
  accountEvents<State extends StateItem>(
    options: WithStates<AccountStreamOptions, State>,
  ): EventStream<TradeStreamItem | State>
  /**
   * Creates a stream of orders and positions in one subscription, for a service that grants one subscription of this kind for
   * each app key. `item.kind` is `order`, `position`, `option` or `unknown`. @throws StreamsError `STREAM_OPTION_INVALID`.
   */
  accountEvents(options: AccountStreamOptions): EventStream<TradeStreamItem>
  /** Creates a stream of the events of the selected modules, with cursors. @throws StreamsError `STREAM_OPTION_INVALID`. */
  moduleEvents(options: ModuleStreamOptions<StreamModuleName>): EventStream<ModuleStreamItem<Event>>
}

/**
 * Creates the streams of one app key. Nothing is opened before the first `next()` of a stream.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createSigner } from '@brokerwire/signer'
 * import { createStreams } from '@brokerwire/streams'
 *
 * const signer = createSigner({ appKey: 'my-key', appSecret: process.env.APP_SECRET ?? '' })
 * await using streams = createStreams({ signer, eventsUrl: 'https://events-api.example.com' })
 *
 * for await (const item of streams.tradeEvents({ accounts: ['ACCOUNT'] })) {
 *   if (item.type === 'event') console.log(item.decode())
 *   else console.log(item.kind)
 * }
 * ```
 */
export function createStreams<Event = ModuleEvent>(options: StreamsOptions<Event>): Streams<Event> {
  const { context, targets, payloads } = resolveOptions(options)
  // `Event` is only inferred from `payloads`; otherwise it is its default, the type of the standard decoders.
  const decoders = (payloads ?? standardPayloads) as StreamDecoders<Event>
  const requireTarget = (target: ServiceTarget | undefined, option: string): ServiceTarget => {
    if (target === undefined) throw optionInvalid(option, 'the origin of this stream', 'undefined')
    return target
  }
  const tradeServiceStream =
    (name: TradeStreamName) => (input: TradeStreamOptions | WithStates<TradeStreamOptions, StateItem>) =>
      createTradeStream(context, requireTarget(targets.trade, 'eventsUrl'), name, input, decoders)
  return {
    tradeEvents: tradeServiceStream('trade'),
    positionEvents: tradeServiceStream('position'),
    accountEvents: tradeServiceStream('account'),
    moduleEvents: (input) =>
      createModuleStream(context, requireTarget(targets.module, 'moduleEventsUrl'), input, (frame) =>
        decoders.module(frame),
      ),
    ...closable(() => context.openStreams.closeAll()),
  }
}

interface ResolvedOptions {
  readonly context: SharedContext
  readonly targets: { readonly trade: ServiceTarget | undefined; readonly module: ServiceTarget | undefined }
  readonly payloads: StreamDecoders<unknown> | undefined
}

function resolveOptions(input: StreamsOptions<unknown>): ResolvedOptions {
  const options = readOptions(optionInvalid, input, STREAMS_OPTIONS)
  const { signer, store, identity, budget, allowInsecure, transports, accessTokens } = options
  if (store !== undefined && identity === undefined)
    throw optionInvalid('identity', 'a service identity if store is set', 'undefined')
  const tokenOrigin = accessTokens?.origin
  if (tokenOrigin !== undefined && tokenOrigin !== identity?.baseUrl)
    throw optionInvalid(
      'identity',
      `the service identity of ${tokenOrigin}, the origin of accessTokens`,
      identity?.baseUrl ?? 'undefined',
    )
  for (const name of ['eventsUrl', 'moduleEventsUrl'] as const) {
    const url = options[name]
    const identityUrl = identity?.[name]
    if (url !== undefined && identityUrl !== undefined && url !== identityUrl)
      throw optionInvalid(name, `${identityUrl}, the origin of identity`, url)
  }
  const connections = createConnections({ ...options.connection, allowInsecure })
  const target = (
    option: 'eventsUrl' | 'moduleEventsUrl',
    transport: Transport | ConnectionFactory = connections,
  ): ServiceTarget | undefined => {
    const url = options[option]
    if (url !== undefined) requireSecureOrigin(optionInvalid, option, url, allowInsecure)
    const host = url === undefined ? undefined : hostAndPort(new URL(url))
    // A Connect transport has its address already, and the caller closes it.
    if (typeof transport !== 'function') return { host, open: () => ({ transport, close: () => {} }) }
    return url === undefined ? undefined : { host, origin: url, open: () => transport(url) }
  }
  const { clock, random, supervision: policy, buffer, maxIdBytes, headers, observer } = options
  return {
    context: {
      signer,
      clock,
      accessTokens,
      accessTokenRequired: options.accessTokenRequired,
      onClockSkew: options.onClockSkew,
      headers,
      random,
      policy,
      budget: budget ?? processBudget(signer.appKey),
      buffer,
      maxIdBytes,
      observer,
      store,
      identity,
      openStreams: new StreamGroup(),
    },
    targets: {
      trade: target('eventsUrl', transports.trade),
      module: target('moduleEventsUrl', transports.module),
    },
    payloads: options.payloads,
  }
}

/** Returns `host:port`. The `port` of a URL is empty if it is the default port of the protocol. */
function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
