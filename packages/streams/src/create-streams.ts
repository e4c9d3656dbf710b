/**
 * Streams of one app key.
 *
 * Options are read once. Nothing is opened before the first `next()` of a stream.
 */
import type { Clock, Closable, Store, TokenProvider } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  boolean,
  ConsumerGroup,
  clock,
  closable,
  custom,
  describe,
  type FieldsOf,
  func,
  integer,
  isRecord,
  object,
  optional,
  origin,
  port,
  readOptions,
  requireSecureOrigin,
  type Schema,
  serviceIdentity,
} from '@brokerwire/core/internal'
import { type ModuleEvent, type ModuleName, payloads as standardPayloads } from '@brokerwire/payloads'
import type { Transport } from '@connectrpc/connect'
import { processBudget, type SubscriptionBudget } from './budget.ts'
import type { SharedContext } from './context.ts'
import { BUFFER_OPTIONS } from './delivery/item-queue.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamDecoders } from './items/decode-item.ts'
import { createModuleStream, type ModuleStreamItem, type ModuleStreamOptions } from './module-stream.ts'
import type { StreamObserver, TradeStreamName } from './observer.ts'
import { optionInvalid } from './streams-error.ts'
import {
  CONNECTION_OPTIONS,
  type ConnectionFactory,
  createConnections,
  type GrpcConnectionOptions,
  type ServiceTarget,
} from './subscription/connection.ts'
import type { AccessTokenRequiredHook, ClockSkewHook } from './subscription/hooks.ts'
import type { StreamSigner } from './subscription/subscribe.ts'
import { type SupervisionOptions, supervision } from './supervisor/policy.ts'
import {
  type AccountStreamOptions,
  createTradeStream,
  type TradeStreamItem,
  type TradeStreamOptions,
} from './trade-stream.ts'

/** Modules that `moduleEvents` takes by name: all whose event type is published. */
export type StreamModuleName = Exclude<ModuleName, 'sod'>

/** Options of {@link createStreams}. Read once: changing the object later changes nothing. */
export interface StreamsOptions<Event = ModuleEvent> {
  /** Signs each subscription: a `Signer` of `@brokerwire/signer`. The algorithm is its `streamAlgorithm`. */
  readonly signer: StreamSigner
  /** Origin of the trade, position and account events, for example `'https://events-api.example.com'`. */
  readonly eventsUrl?: string | undefined
  /** Origin of the module events. */
  readonly moduleEventsUrl?: string | undefined
  /**
   * Takes `http:` on hosts that are not loopback: whoever is on the way reads signature and token.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
  /** Instead of this package's own: a Connect transport, or what opens one for each attempt. */
  readonly transports?:
    | {
        readonly trade?: Transport | ConnectionFactory | undefined
        readonly module?: Transport | ConnectionFactory | undefined
      }
    | undefined
  /** Of the default connections. */
  readonly connection?: Omit<GrpcConnectionOptions, 'allowInsecure'> | undefined
  /** @defaultValue `payloads` of `@brokerwire/payloads` */
  readonly payloads?: StreamDecoders<Event> | undefined
  /** Where the cursors of module streams are kept. Without one they live as long as the stream. */
  readonly store?: Store | undefined
  /**
   * Service and app key that the cursors belong to: `createServiceIdentity` of `@brokerwire/core/endpoints`. Required with `store`.
   * Its origins must be those of `eventsUrl` and `moduleEventsUrl`.
   */
  readonly identity?: ServiceIdentity | undefined
  /** @defaultValue `systemClock` */
  readonly clock?: Clock | undefined
  /**
   * Returns numbers from 0 up to but not including 1: for the backoff, and as the seed of the hashes that find duplicates.
   * With a predictable function a sender can choose ids whose hashes are equal. @defaultValue Math.random
   */
  readonly random?: (() => number) | undefined
  /** Called after an AuthError, to correct the signer's clock. @defaultValue not called; the attempt is repeated once */
  readonly onClockSkew?: ClockSkewHook | undefined
  /**
   * Provides the token of the header `x-access-token`, for each attempt. After an AuthError the rejected token is reported with
   * status 401 and no code. If the provider has an `origin`, `identity` must be of the same service, and no token is sent over
   * a Connect transport of `transports`. @defaultValue no token is sent
   */
  readonly accessTokens?: TokenProvider | undefined
  /** Asked if a subscription was sent without a token: whether the service wants one. @defaultValue nobody is asked */
  readonly accessTokenRequired?: AccessTokenRequiredHook | undefined
  readonly observer?: StreamObserver | undefined
  readonly supervision?: SupervisionOptions | undefined
  /** @defaultValue 5 subscriptions at once for each app key, counted for the whole process */
  readonly budget?: SubscriptionBudget | undefined
  /**
   * What may wait for a slow consumer, for each stream: items, and bytes of all that they hold, two for each UTF-16 unit
   * and 512 an item; where business types are chosen of an event type, 24 for each unit of a payload that was parsed for it.
   * @defaultValue 256 items, 8 MiB
   */
  readonly buffer?:
    | { readonly maxItems?: number | undefined; readonly maxBytes?: number | undefined }
    | undefined
  /**
   * The longest id, request id, position or event type that is remembered and stored, at two bytes a UTF-16 unit. What is
   * longer is delivered after an `id-too-long` notice. @defaultValue 4096
   */
  readonly maxIdBytes?: number | undefined
}

const transport: Schema<Transport | ConnectionFactory> = (value, path, fail) => {
  const isTransport = isRecord(value) && typeof value.stream === 'function'
  if (isTransport || typeof value === 'function') return value as Transport | ConnectionFactory
  throw fail(path, 'a Connect transport or a function', describe(value))
}

/** Schemas of {@link StreamsOptions}. */
export const STREAMS_OPTIONS = {
  signer: custom<StreamSigner>(
    'a signer, such as createSigner() of @brokerwire/signer makes',
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
  observer: optional(custom<StreamObserver>('an object', isRecord)),
  supervision,
  budget: optional(port<SubscriptionBudget>(['take'])),
  buffer: object(BUFFER_OPTIONS, {}),
  maxIdBytes: integer({ min: 64, max: 512 * 1024, default: 4096 }),
} satisfies FieldsOf<StreamsOptions>

/**
 * The streams of one app key. Disposing of them leaves every stream that is open, as `return()` of each does: its loop
 * ends. One that is begun afterwards fails with `STREAM_CLOSED`.
 */
export interface Streams<Event = ModuleEvent> extends Closable {
  /** Order status changes (subscribeType 1). @throws StreamsError `STREAM_OPTION_INVALID`. */
  tradeEvents(options: TradeStreamOptions): EventStream<TradeStreamItem>
  /** Settlements of event-contract positions (subscribeType 2). @throws StreamsError `STREAM_OPTION_INVALID`. */
  positionEvents(options: TradeStreamOptions): EventStream<TradeStreamItem>
  /**
   * Orders and positions of the accounts in one subscription, for a service that grants one subscription of this kind for
   * each app key. `item.kind` is `order`, `position`, `option` or `unknown`. @throws StreamsError `STREAM_OPTION_INVALID`.
   */
  accountEvents(options: AccountStreamOptions): EventStream<TradeStreamItem>
  /** Events of the chosen modules, with cursors. @throws StreamsError `STREAM_OPTION_INVALID`. */
  moduleEvents(options: ModuleStreamOptions<StreamModuleName>): EventStream<ModuleStreamItem<Event>>
}

/**
 * Makes the streams of one app key.
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
  const { context, targets, payloads } = readContext(options)
  // The standard decoders are the ones whose event type is the type parameter's default.
  const decoders = (payloads ?? standardPayloads) as StreamDecoders<Event>
  const need = (target: ServiceTarget | undefined, option: string): ServiceTarget => {
    if (target === undefined) throw optionInvalid(option, 'the origin of this stream', 'undefined')
    return target
  }
  const trade = (name: TradeStreamName) => (input: TradeStreamOptions) =>
    createTradeStream(context, need(targets.trade, 'eventsUrl'), name, input, decoders)
  return {
    tradeEvents: trade('trade'),
    positionEvents: trade('position'),
    accountEvents: trade('account'),
    moduleEvents: (input) =>
      createModuleStream(context, need(targets.module, 'moduleEventsUrl'), input, (frame) =>
        decoders.module(frame),
      ),
    ...closable(() => context.openStreams.closeAll()),
  }
}

interface ReadOptions {
  readonly context: SharedContext
  readonly targets: { readonly trade: ServiceTarget | undefined; readonly module: ServiceTarget | undefined }
  readonly payloads: StreamDecoders<unknown> | undefined
}

function readContext(input: StreamsOptions<unknown>): ReadOptions {
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
    const [url, own] = [options[name], identity?.[name]]
    if (url !== undefined && own !== undefined && url !== own)
      throw optionInvalid(name, `${own}, the origin of identity`, url)
  }
  const connections = createConnections({ ...options.connection, allowInsecure })
  const target = (
    option: 'eventsUrl' | 'moduleEventsUrl',
    own: Transport | ConnectionFactory = connections,
  ): ServiceTarget | undefined => {
    const url = options[option]
    if (url !== undefined) requireSecureOrigin(optionInvalid, option, url, allowInsecure)
    const host = url === undefined ? undefined : new URL(url).host
    // A transport has its address, and its owner closes it.
    if (typeof own !== 'function') return { host, open: () => ({ transport: own, close: () => {} }) }
    return url === undefined ? undefined : { host, origin: url, open: () => own(url) }
  }
  const { clock, random, supervision: policy, buffer, maxIdBytes, observer } = options
  return {
    context: {
      signer,
      clock,
      accessTokens,
      accessTokenRequired: options.accessTokenRequired,
      onClockSkew: options.onClockSkew,
      random,
      policy,
      budget: budget ?? processBudget(signer.appKey),
      buffer,
      maxIdBytes,
      observer,
      store,
      identity,
      openStreams: new ConsumerGroup(),
    },
    targets: {
      trade: target('eventsUrl', transports.trade),
      module: target('moduleEventsUrl', transports.module),
    },
    payloads: options.payloads,
  }
}
