/** Options of `createQuotes`, read once. */
import type { AbortSignalLike, Clock, ProxyOption } from '@brokerwire/core'
import {
  boolean,
  clock,
  custom,
  describe,
  type FieldsOf,
  findProxy,
  func,
  integer,
  isRecord,
  object,
  oneOf,
  optional,
  port,
  proxyOption,
  readOptions,
  type Schema,
  signal,
  unchecked,
} from '@brokerwire/core/internal'
import type { HttpClient, HttpRequest } from '@brokerwire/http'
import { takesAuthorities, tcpSockets } from '#tcp'
import {
  type ClientTokenHook,
  createStreamingApi,
  type StreamingApi,
  type StreamingPathForm,
} from './calls/streaming-api.ts'
import { type QuotesPolicy, type QuotesSupervisionOptions, supervision } from './connection/policy.ts'
import type { MqttLogin } from './connection/runner.ts'
import type { OutboxBounds } from './delivery/outbox.ts'
import type { FillHook } from './fill.ts'
import { isMqttText } from './mqtt/encode.ts'
import type { QuotesObserver } from './observer.ts'
import { optionInvalid } from './quotes-error.ts'
import { type MqttAddress, readMqttAddress } from './socket/address.ts'
import { MAX_UNSENT_BYTES, type QuotesSocketOpener, type QuotesTlsOptions } from './socket/port.ts'
import { hostWebSocket, type WebSocketClass, webSockets } from './socket/web-socket.ts'

/** What CONNECT carries as user name and password. */
export type LoginHook = (request: { readonly signal: AbortSignalLike }) => MqttLogin | Promise<MqttLogin>

/**
 * Which of the service's two products. `server`: the app key, whole. `client`: the client access token of an end user; its hosts,
 * paths and login are documented in part only, and nobody has published a client of its stream: nothing has a default.
 */
export type QuotesProduct =
  | { readonly kind: 'server'; readonly appKey: string }
  | { readonly kind: 'client'; readonly login: LoginHook; readonly clientToken: ClientTokenHook }

/** A group of consumers that are closed together, for example by an umbrella's `close()`. */
export interface QuotesGroup {
  /**
   * Adds a consumer that has started.
   *
   * @param closed - Makes the error for a consumer that starts after the group was closed.
   * @returns Removes the consumer when it has ended.
   */
  add(consumer: { return(): Promise<unknown> }, closed: () => Error): () => void
}

/** Options of {@link createQuotes}. Read once: changing the object later changes nothing. */
export interface QuotesOptions {
  /** Sends the signed subscribe calls: a client of `@brokerwire/http`, of the **same environment** as `mqttUrl`. */
  readonly http: Pick<HttpClient, 'request'>
  /** `mqtts://host:1883` over TCP, `wss://host:8883/mqtt` over WebSocket. Clear text (`mqtt:`, `ws:`) on loopback alone. */
  readonly mqttUrl: string
  /** Takes clear text on any host: whoever is on the way reads the app key. @defaultValue false */
  readonly allowInsecure?: boolean | undefined
  readonly product: QuotesProduct
  /** Connections at once for this app key; other processes of the same key are not known. @defaultValue 5 */
  readonly maxConnections?: number | undefined
  /** Symbols of one connection. Fewer spread them, and with them the service's limit of messages a second. @defaultValue 100 */
  readonly symbolsPerConnection?: number | undefined
  /** Form of the subscribe paths. @defaultValue 'market-data' */
  readonly paths?: StreamingPathForm | undefined
  /** Whether the other form is tried once where a path is not there. @defaultValue true */
  readonly pathFallback?: boolean | undefined
  /** `x-version` of the subscribe calls. @defaultValue the client's */
  readonly apiVersion?: HttpRequest['apiVersion']
  /** Sent as `grab`: presumably asks for a first snapshot at once. @defaultValue not sent */
  readonly grab?: boolean | undefined
  readonly supervision?: QuotesSupervisionOptions | undefined
  /** What may wait for a slow consumer, in bytes. @defaultValue trades 4 MiB, states 16 MiB */
  readonly queue?:
    | { readonly maxTickBytes?: number | undefined; readonly maxStateBytes?: number | undefined }
    | undefined
  /** The longest message that is taken. @defaultValue 1 MiB */
  readonly maxPacketBytes?: number | undefined
  /** Called after each gap: what it finds is delivered as `filled` items. @defaultValue none */
  readonly fill?: FillHook | undefined
  /** Of connections over TCP. @defaultValue the host's authorities alone */
  readonly tls?: QuotesTlsOptions | undefined
  /**
   * An HTTP proxy for connections over TCP on Node: its address, such as `http://host:port`, or a function that returns the one for
   * an address such as `mqtts://host:1883`. For WebSocket use a `webSocket` class that connects through the proxy. The client
   * `http` has its own.
   * @defaultValue none
   */
  readonly proxy?: ProxyOption | undefined
  /** For `wss:` and `ws:`, where the host has none (Node before 22): that of the package `ws` fits. @defaultValue the host's */
  readonly webSocket?: WebSocketClass | undefined
  /** Opens connections instead of this package. @defaultValue TCP and WebSocket, as `mqttUrl` says */
  readonly socket?: QuotesSocketOpener | undefined
  /** A fresh id for each connection. @defaultValue 32 hexadecimal digits */
  readonly sessionId?: (() => string) | undefined
  /** @defaultValue `systemClock` */
  readonly clock?: Clock | undefined
  /** Numbers from 0 up to but not including 1, for the backoff. @defaultValue Math.random */
  readonly random?: (() => number) | undefined
  readonly observer?: QuotesObserver | undefined
  /** Gets the open consumer, so that a group can close all of its consumers at once. @defaultValue none */
  readonly group?: QuotesGroup | undefined
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignalLike | undefined
}

const tls: Schema<QuotesTlsOptions> = (value, path, fail) => {
  const { ca } = readOptions(fail, value ?? {}, { ca: unchecked<QuotesTlsOptions['ca']>() }, path)
  const isText = typeof ca === 'string' || (Array.isArray(ca) && ca.every((one) => typeof one === 'string'))
  if (ca !== undefined && !isText)
    throw fail(`${path}.ca`, 'certificates in PEM, a string or an array of strings', describe(ca))
  return { ca }
}

const appKey = custom<string>(
  'a non-empty string of at most 65,535 bytes without NUL',
  (value) => typeof value === 'string' && value !== '' && isMqttText(value),
)
const PRODUCTS = {
  server: { kind: oneOf(['server']), appKey },
  client: { kind: oneOf(['client']), login: func<LoginHook>(), clientToken: func<ClientTokenHook>() },
}
const product: Schema<QuotesProduct> = (value, path, fail) => {
  if (!isRecord(value)) throw fail(path, 'an object with kind', describe(value))
  const kind = oneOf(['server', 'client'])(value.kind, `${path}.kind`, fail)
  return kind === 'server'
    ? readOptions(fail, value, PRODUCTS.server, path)
    : readOptions(fail, value, PRODUCTS.client, path)
}

const QUEUE_OPTIONS = {
  maxTickBytes: integer({ min: 1, max: 0x7f_ff_ff_ff, default: 4 * 1024 * 1024 }),
  maxStateBytes: integer({ min: 1, max: 0x7f_ff_ff_ff, default: 16 * 1024 * 1024 }),
}

/** Schemas of {@link QuotesOptions}. */
export const QUOTES_OPTIONS = {
  http: port<Pick<HttpClient, 'request'>>(['request']),
  mqttUrl: unchecked<unknown>(),
  allowInsecure: boolean(false),
  product,
  maxConnections: integer({ min: 1, max: 1000, default: 5 }),
  symbolsPerConnection: integer({ min: 1, max: 100, default: 100 }),
  paths: oneOf<StreamingPathForm>(['market-data', 'openapi'], 'market-data'),
  pathFallback: boolean(true),
  apiVersion: optional(oneOf(['v2', 'v3'])),
  grab: optional(boolean(false)),
  supervision,
  queue: object(QUEUE_OPTIONS, {}),
  maxPacketBytes: integer({ min: 128, max: 0x0f_ff_ff_ff, default: 1024 * 1024 }),
  fill: optional(func<FillHook>()),
  tls,
  proxy: proxyOption,
  webSocket: optional(func<WebSocketClass>()),
  socket: optional(func<QuotesSocketOpener>()),
  sessionId: func(randomSessionId),
  clock,
  random: func(Math.random),
  observer: optional(custom<QuotesObserver>('an object', isRecord)),
  group: optional(port<QuotesGroup>(['add'])),
  signal,
} satisfies FieldsOf<QuotesOptions>

/** The options with their defaults. */
export interface ReadQuotesOptions {
  readonly api: StreamingApi
  readonly login: LoginHook
  readonly address: MqttAddress
  readonly openSocket: QuotesSocketOpener
  readonly policy: QuotesPolicy
  readonly bounds: OutboxBounds
  readonly maxConnections: number
  readonly symbolsPerConnection: number
  readonly maxPacketBytes: number
  readonly fill: FillHook | undefined
  readonly sessionId: () => string
  readonly clock: Clock
  readonly random: () => number
  readonly observer: QuotesObserver | undefined
  readonly group: QuotesGroup | undefined
  readonly signal: AbortSignalLike | undefined
}

/** The service ignores the password, so it is no secret. */
const PASSWORD = 'none'

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }

function randomSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function opener(
  address: MqttAddress,
  given: {
    readonly socket: QuotesSocketOpener | undefined
    readonly webSocket: WebSocketClass | undefined
    readonly tls: QuotesTlsOptions
    readonly proxy: ProxyOption | undefined
  },
): QuotesSocketOpener {
  const { ca } = given.tls
  const isLookedAt = takesAuthorities && given.socket === undefined && address.transport === 'tcp'
  if (ca !== undefined && !isLookedAt) {
    throw optionInvalid(
      'tls.ca',
      'undefined',
      'certificates',
      'tls.ca must not be set here: it needs TCP on Node, Deno or Bun',
    )
  }
  const scheme = `${address.transport === 'tcp' ? 'mqtt' : 'ws'}${address.secure ? 's' : ''}`
  if (!isLookedAt && findProxy(given.proxy, `${scheme}://${address.host}`) !== undefined) {
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
export function readQuotesOptions(input: QuotesOptions): ReadQuotesOptions {
  const options = readOptions(optionInvalid, input, QUOTES_OPTIONS)
  const { product } = options
  const address = readMqttAddress(optionInvalid, 'mqttUrl', options.mqttUrl, options.allowInsecure)
  const { http, paths, pathFallback, apiVersion, grab } = options
  const clientToken = product.kind === 'client' ? product.clientToken : undefined
  return {
    ...options,
    api: createStreamingApi({ http, paths, pathFallback, apiVersion, grab, clientToken }),
    login:
      product.kind === 'client' ? product.login : () => ({ userName: product.appKey, password: PASSWORD }),
    address,
    openSocket: opener(address, options),
    policy: options.supervision,
    bounds: options.queue,
  }
}
