/** Options of `createQuotes`. */
import type { AbortSignalLike, Clock, ProxyOption } from '@brokerwire/core'
import {
  boolean,
  clock,
  custom,
  type FieldsOf,
  findProxy,
  func,
  integer,
  isRecord,
  object,
  observer,
  oneOf,
  optional,
  port,
  proxyOption,
  randomHex,
  readOptions,
  type Schema,
  signal,
  string,
  typeName,
  unchecked,
} from '@brokerwire/core/internal'
import type { HttpRequest, RequestSender } from '@brokerwire/http'
import { supportsCustomCa, tcpSockets } from '#tcp'
import type { BackfillHook } from './backfill.ts'
import {
  type ClientTokenHook,
  createStreamingApi,
  type StreamingApi,
  type StreamingPathForm,
} from './calls/streaming-api.ts'
import { type QuotesPolicy, type QuotesSupervisionOptions, supervision } from './connection/policy.ts'
import type { MqttLogin } from './connection/runner.ts'
import type { QueueLimits } from './delivery/conflating-queue.ts'
import { isMqttString } from './mqtt/encode.ts'
import { nextClientId, QUOTES_OBSERVER, type QuotesObserver } from './observer.ts'
import { optionInvalid } from './quotes-error.ts'
import { type MqttAddress, parseMqttAddress } from './socket/address.ts'
import { MAX_UNSENT_BYTES, type QuotesSocketOpener, type QuotesTlsOptions } from './socket/port.ts'
import { hostWebSocket, type WebSocketClass, webSockets } from './socket/web-socket.ts'

/** Returns user name and password of CONNECT. */
export type LoginHook = (request: { readonly signal: AbortSignalLike }) => MqttLogin | Promise<MqttLogin>

/**
 * The product of the service. `server` logs in with the app key. `client` is for the client access token of an end user. Its
 * hosts, paths and login are only partly documented, so they have no defaults.
 */
export type QuotesProduct =
  | {
      readonly kind: 'server'
      /** The app key, sent as the user name of CONNECT. */
      readonly appKey: string
    }
  | {
      readonly kind: 'client'
      /** Returns user name and password of CONNECT. */
      readonly login: LoginHook
      /** Returns the client access token of a subscribe call. */
      readonly clientToken: ClientTokenHook
    }

/** A group of clients that are closed together, for example by `close()` of a brokerage. */
export interface QuotesGroup {
  /**
   * Adds a consumer that has started.
   *
   * @param closed - Creates the error for a consumer that starts after the group was closed.
   * @returns A function that removes the consumer.
   */
  add(
    consumer: {
      /** Ends the iteration of the consumer. */
      return(): Promise<unknown>
    },
    closed: () => Error,
  ): () => void
}

/** Options of {@link createQuotes}. Read once: changing the object later changes nothing. */
export interface QuotesOptions {
  /** Client of `@brokerwire/http` for the signed subscribe calls. It must belong to the **same environment** as `mqttUrl`. */
  readonly http: RequestSender
  /** `mqtts://host:1883` for TCP, `wss://host:8883/mqtt` for WebSocket. Cleartext (`mqtt:`, `ws:`) is for loopback hosts only. */
  readonly mqttUrl: string
  /** Allows cleartext on any host: the network can then read the app key. @defaultValue false */
  readonly allowInsecure?: boolean | undefined
  /** Product of the service, with its credentials. */
  readonly product: QuotesProduct
  /** Most connections of this client. Connections of other processes with the same app key are not counted. @defaultValue 5 */
  readonly maxConnections?: number | undefined
  /** Most symbols of one connection. A lower number uses more connections, each with its own rate limit. @defaultValue 100 */
  readonly symbolsPerConnection?: number | undefined
  /** Form of the subscribe paths. @defaultValue 'market-data' */
  readonly paths?: StreamingPathForm | undefined
  /** Whether the other form of the paths is tried once after status 404. @defaultValue true */
  readonly pathFallback?: boolean | undefined
  /** `x-version` of the subscribe calls. @defaultValue the client's */
  readonly apiVersion?: HttpRequest['apiVersion']
  /** Sent as `grab`, which presumably requests a first snapshot. @defaultValue not sent */
  readonly requestSnapshot?: boolean | undefined
  /** Timeouts, heartbeats and backoff of the connections. */
  readonly supervision?: QuotesSupervisionOptions | undefined
  /** Limits of the messages that wait for the consumer, in bytes. @defaultValue trades 4 MiB, states 16 MiB */
  readonly buffer?:
    | {
        /** Limit of trades and messages of unknown topics, in bytes. @defaultValue 4194304 (4 MiB) */
        readonly maxTickBytes?: number | undefined
        /** Limit of states, in bytes. @defaultValue 16777216 (16 MiB) */
        readonly maxStateBytes?: number | undefined
      }
    | undefined
  /** Longest MQTT packet that is accepted, in bytes. @defaultValue 1 MiB */
  readonly maxPacketBytes?: number | undefined
  /** Called after each gap. Its results are delivered as `backfilled` items. @defaultValue none */
  readonly backfill?: BackfillHook | undefined
  /** TLS options of TCP connections. @defaultValue the host's certificate authorities */
  readonly tls?: QuotesTlsOptions | undefined
  /**
   * An HTTP proxy for connections over TCP on Node: its address, such as `http://host:port`, or a function
   * that returns the proxy for an address such as `mqtts://host:1883`. For WebSocket use a `webSocket` class
   * that connects through the proxy. The client `http` has its own option for a proxy.
   * @defaultValue none
   */
  readonly proxy?: ProxyOption | undefined
  /**
   * WebSocket class for `wss:` and `ws:`. Node before 22 has no such class: pass the class of the package
   * `ws`.
   * @defaultValue the host's
   */
  readonly webSocket?: WebSocketClass | undefined
  /** Opens connections instead of this package. @defaultValue TCP or WebSocket, chosen by `mqttUrl` */
  readonly socket?: QuotesSocketOpener | undefined
  /** Returns a new session id for each connection. @defaultValue 32 random hexadecimal digits */
  readonly sessionId?: (() => string) | undefined
  /** Source of time and timers. @defaultValue `systemClock` */
  readonly clock?: Clock | undefined
  /** Returns a number from 0 up to but not including 1, for the backoff. @defaultValue Math.random */
  readonly random?: (() => number) | undefined
  /**
   * Name of the client in reports to the observer. If reports become metrics, name each client, because the default names of clients that
   * you create again and again never repeat.
   * @defaultValue `quotes-1`, `quotes-2` and so on, in the order of creation
   */
  readonly clientId?: string | undefined
  /** Receives batches, notices and state changes, for logs and metrics. @defaultValue none */
  readonly observer?: QuotesObserver | undefined
  /** Group that the consumer joins while it is open. @defaultValue none */
  readonly group?: QuotesGroup | undefined
  /** Ends the iteration when it aborts, with its abort reason as the error. @defaultValue none */
  readonly signal?: AbortSignalLike | undefined
}

const tls: Schema<QuotesTlsOptions> = (value, path, fail) => {
  const { ca } = readOptions(fail, value ?? {}, { ca: unchecked<QuotesTlsOptions['ca']>() }, path)
  const isText = typeof ca === 'string' || (Array.isArray(ca) && ca.every((one) => typeof one === 'string'))
  if (ca !== undefined && !isText)
    throw fail(`${path}.ca`, 'certificates in PEM, a string or an array of strings', typeName(ca))
  return { ca }
}

const appKey = custom<string>(
  'a non-empty string of at most 65,535 bytes without NUL',
  (value) => typeof value === 'string' && value !== '' && isMqttString(value),
)
const PRODUCTS = {
  server: { kind: oneOf(['server']), appKey },
  client: { kind: oneOf(['client']), login: func<LoginHook>(), clientToken: func<ClientTokenHook>() },
}
const product: Schema<QuotesProduct> = (value, path, fail) => {
  if (!isRecord(value)) throw fail(path, 'an object with kind', typeName(value))
  const kind = oneOf(['server', 'client'])(value.kind, `${path}.kind`, fail)
  return kind === 'server'
    ? readOptions(fail, value, PRODUCTS.server, path)
    : readOptions(fail, value, PRODUCTS.client, path)
}

const BUFFER_OPTIONS = {
  maxTickBytes: integer({ min: 1, max: 0x7f_ff_ff_ff, default: 4 * 1024 * 1024 }),
  maxStateBytes: integer({ min: 1, max: 0x7f_ff_ff_ff, default: 16 * 1024 * 1024 }),
}

/** Schemas of {@link QuotesOptions}. */
export const QUOTES_OPTIONS = {
  http: port<RequestSender>(['request']),
  mqttUrl: unchecked<unknown>(),
  allowInsecure: boolean(false),
  product,
  maxConnections: integer({ min: 1, max: 1000, default: 5 }),
  symbolsPerConnection: integer({ min: 1, max: 100, default: 100 }),
  paths: oneOf<StreamingPathForm>(['market-data', 'openapi'], 'market-data'),
  pathFallback: boolean(true),
  apiVersion: optional(oneOf(['v2', 'v3'])),
  requestSnapshot: optional(boolean(false)),
  supervision,
  buffer: object(BUFFER_OPTIONS, {}),
  maxPacketBytes: integer({ min: 128, max: 0x0f_ff_ff_ff, default: 1024 * 1024 }),
  backfill: optional(func<BackfillHook>()),
  tls,
  proxy: proxyOption,
  webSocket: optional(func<WebSocketClass>()),
  socket: optional(func<QuotesSocketOpener>()),
  sessionId: func(() => randomHex(16)),
  clock,
  random: func(Math.random),
  clientId: optional(string()),
  observer: observer<QuotesObserver>(QUOTES_OBSERVER),
  group: optional(port<QuotesGroup>(['add'])),
  signal,
} satisfies FieldsOf<QuotesOptions>

/** Options after validation, with defaults. */
export interface ResolvedQuotesOptions {
  readonly api: StreamingApi
  readonly login: LoginHook
  readonly address: MqttAddress
  readonly openSocket: QuotesSocketOpener
  readonly policy: QuotesPolicy
  readonly bounds: QueueLimits
  readonly maxConnections: number
  readonly symbolsPerConnection: number
  readonly maxPacketBytes: number
  readonly backfill: BackfillHook | undefined
  readonly sessionId: () => string
  readonly clock: Clock
  readonly random: () => number
  readonly clientId: string
  readonly observer: QuotesObserver
  readonly group: QuotesGroup | undefined
  readonly signal: AbortSignalLike | undefined
}

/** The service ignores the password. */
const PASSWORD = 'none'

function createOpener(
  address: MqttAddress,
  given: {
    readonly socket: QuotesSocketOpener | undefined
    readonly webSocket: WebSocketClass | undefined
    readonly tls: QuotesTlsOptions
    readonly proxy: ProxyOption | undefined
  },
): QuotesSocketOpener {
  const { ca } = given.tls
  const usesBuiltInTcp = supportsCustomCa && given.socket === undefined && address.transport === 'tcp'
  if (ca !== undefined && !usesBuiltInTcp) {
    throw optionInvalid(
      'tls.ca',
      'undefined',
      'certificates',
      'tls.ca must not be set here: it needs TCP on Node, Deno or Bun',
    )
  }
  const scheme = `${address.transport === 'tcp' ? 'mqtt' : 'ws'}${address.secure ? 's' : ''}`
  if (!usesBuiltInTcp && findProxy(given.proxy, `${scheme}://${address.host}`) !== undefined) {
    throw optionInvalid(
      'proxy',
      'undefined',
      'an address',
      'proxy must not be set here: it needs an mqtts: address on Node. For wss: set the option "webSocket" to a class that connects through the proxy',
    )
  }
  if (given.socket !== undefined) return given.socket
  if (address.transport === 'tcp') {
    if (tcpSockets === undefined)
      throw optionInvalid('mqttUrl', 'a wss: address, because this host has no TCP', 'another address')
    return tcpSockets({ ...given.tls, proxy: given.proxy }, MAX_UNSENT_BYTES)
  }
  const Socket = given.webSocket ?? hostWebSocket()
  if (Socket !== undefined) return webSockets(Socket)
  throw optionInvalid('webSocket', 'a WebSocket class, because this host has none', 'undefined')
}

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function parseQuotesOptions(input: QuotesOptions): ResolvedQuotesOptions {
  const options = readOptions(optionInvalid, input, QUOTES_OPTIONS)
  const { product } = options
  const address = parseMqttAddress(optionInvalid, 'mqttUrl', options.mqttUrl, options.allowInsecure)
  const { http, paths, pathFallback, apiVersion, requestSnapshot } = options
  const clientToken = product.kind === 'client' ? product.clientToken : undefined
  return {
    ...options,
    clientId: options.clientId ?? nextClientId(),
    api: createStreamingApi({ http, paths, pathFallback, apiVersion, requestSnapshot, clientToken }),
    login:
      product.kind === 'client' ? product.login : () => ({ userName: product.appKey, password: PASSWORD }),
    address,
    openSocket: createOpener(address, options),
    policy: options.supervision,
    bounds: options.buffer,
  }
}
