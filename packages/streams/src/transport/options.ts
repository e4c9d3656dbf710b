/** Options of the transport, with their checks and defaults. */
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import type { ProxyOption } from '@brokerwire/core'
import {
  array,
  boolean,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  isRecord,
  optional,
  origin,
  proxyOption,
  readOptions,
  requireSecureOrigin,
  type Schema,
  typeName,
} from '@brokerwire/core/internal'
import type { Interceptor } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { optionInvalid } from '../streams-error.ts'
import { brotliCompression, gzipCompression } from './compression.ts'
import { generatedDecoders, type MessageDecoders } from './decoding/generated-decoders.ts'
import type { DuplexLike, TlsOptions } from './host-types.ts'

/**
 * Opens the connection for HTTP/2, such as a Unix socket or a socket with special options.
 *
 * For an `https:` address, the transport adds TLS, unless the returned connection is a `TLSSocket`.
 */
export type CreateConnection = (
  url: URL,
  options: { readonly signal: AbortSignal },
) => DuplexLike | Promise<DuplexLike>

/**
 * Options of the HTTP/2 PINGs that keep a connection alive and detect a lost one. Both intervals double after the server ends a
 * connection with ENHANCE_YOUR_CALM.
 */
export interface KeepAliveOptions {
  /**
   * Time without data, in milliseconds, after which a PING is sent while a call is open: at most two until data is received
   * again. @defaultValue 30_000
   */
  readonly intervalMs?: number | undefined
  /**
   * Time between the PINGs after the first two, in milliseconds. Servers of gRPC allow one in five minutes by
   * default. If yours allows more, it may be as short as `intervalMs`. @defaultValue 330_000
   */
  readonly idleIntervalMs?: number | undefined
  /**
   * Time after a PING, in milliseconds, without a response to it and without data, before the connection counts as lost.
   * @defaultValue 15_000
   */
  readonly timeoutMs?: number | undefined
}

/** Options of `createStreamTransport`. */
export interface StreamTransportOptions {
  /** Origin of the service, for example `'https://events-api.example.com'`. */
  readonly baseUrl: string
  /**
   * Allows `http:` for hosts other than loopback. Others in the network can then read tokens and change messages.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
  /**
   * Interceptors of every call, the first one outermost, as in connect-node. With interceptors, a stream reads one message at a time
   * instead of batches, and a message that cannot be decoded ends the call. @defaultValue none
   */
  readonly interceptors?: readonly Interceptor[] | undefined
  /** Deadline in milliseconds of calls without a `timeoutMs`. @defaultValue none */
  readonly defaultTimeoutMs?: number | undefined
  /** Compressions that the server may use, the preferred one first. @defaultValue gzip, brotli */
  readonly acceptCompression?: readonly Compression[] | undefined
  /** Compression of requests. @defaultValue none */
  readonly sendCompression?: Compression | undefined
  /** Shortest message that is compressed, in bytes. @defaultValue 1024 */
  readonly compressMinBytes?: number | undefined
  /** Longest message in bytes that is accepted, as received and once decompressed. @defaultValue 16 MiB */
  readonly readMaxBytes?: number | undefined
  /** Maximum size of a sent message, in bytes. @defaultValue 16 MiB */
  readonly writeMaxBytes?: number | undefined
  /** Flow-control window of each stream, in bytes; that of the connection is (streams + 1) times as large. @defaultValue 1 MiB */
  readonly streamWindowBytes?: number | undefined
  /** Most bytes of undecoded messages that wait for a slow consumer. After that, reading is paused. @defaultValue 1 MiB */
  readonly readAheadBytes?: number | undefined
  /** HTTP/2 PINGs while a call is open. `false`: no PINGs. @defaultValue PINGs at the default intervals */
  readonly keepAlive?: KeepAliveOptions | false | undefined
  /** Longest time for TCP and TLS together, in milliseconds. @defaultValue 20_000 */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Time after which a connection without calls is closed, in milliseconds. Such a connection never keeps the
   * process alive.
   * @defaultValue 900_000
   */
  readonly idleTimeoutMs?: number | undefined
  /** TLS options for `https:`: certificate authorities (`ca`), a client certificate (`cert`, `key`), `servername`, ... */
  readonly tls?: TlsOptions | undefined
  /**
   * An HTTP proxy: its address, such as `http://host:port`, or a function that returns the address for an origin. The connection is
   * a tunnel with TLS inside. If the proxy opens no tunnel, calls fail with `unavailable`, and the cause is CoreError
   * `PROXY_REFUSED` or `PROXY_UNREACHABLE`.
   * @defaultValue none
   */
  readonly proxy?: ProxyOption | undefined
  /** Opens the connections. Must not be set together with `proxy`. @defaultValue TCP to the host and port of the address */
  readonly createConnection?: CreateConnection | undefined
  /**
   * Decoders by message type. protobuf-es decodes the types that have no decoder here. Streams of
   * `createStreams` use their own decoders.
   * @defaultValue the generated decoders of both services
   */
  readonly decoders?: MessageDecoders | undefined
}

const MIB = 1024 * 1024
/** The default window of HTTP/2 (RFC 9113, section 6.9.2). A smaller one has no use here. */
const MIN_WINDOW = 65_535
/** The largest 31-bit integer, which is also the longest timer of Node. */
const MAX_INT_31 = 0x7f_ff_ff_ff
const COMPRESSION = 'a compression with name, compress and decompress, such as gzipCompression'

const compression: Schema<Compression> = (value, option, fail) => {
  const { name, compress, decompress } = isRecord(value) ? value : {}
  if (typeof name === 'string' && [compress, decompress].every((it) => typeof it === 'function')) {
    return value as Compression
  }
  throw fail(option, COMPRESSION, typeName(value))
}

/** Reads certificates and keys once, so that wrong ones are reported before the first attempt. */
const tls: Schema<TlsOptions> = (value = {}, option, fail) => {
  if (!isRecord(value)) throw fail(option, 'an object', typeName(value))
  const given = { ...value } as TlsOptions
  try {
    createSecureContext(given as ConnectionOptions)
  } catch {
    // The message of OpenSSL may quote a key.
    throw fail(option, 'certificates and keys that OpenSSL can read', 'unreadable ones')
  }
  return given
}

const decoders: Schema<MessageDecoders> = (value = generatedDecoders, option, fail) => {
  if (isRecord(value) && typeof value.get === 'function') return value as unknown as MessageDecoders
  throw fail(option, 'a Map', typeName(value))
}

const pingMs = (fallback: number): Schema<number> => integer({ min: 100, max: 7_200_000, default: fallback })

const KEEP_ALIVE_OPTIONS = {
  intervalMs: pingMs(30_000),
  idleIntervalMs: pingMs(330_000),
  timeoutMs: pingMs(15_000),
} satisfies FieldsOf<KeepAliveOptions>

/** Intervals and timeout of the PINGs, after they were checked. */
export type KeepAlivePolicy = InferFields<typeof KEEP_ALIVE_OPTIONS>

const keepAlive: Schema<KeepAlivePolicy | false> = (value = {}, option, fail) => {
  if (value === false) return value
  if (!isRecord(value)) throw fail(option, 'an object or false', typeName(value))
  return readOptions(fail, value, KEEP_ALIVE_OPTIONS, option)
}

/** Schemas of {@link StreamTransportOptions}. */
export const STREAM_TRANSPORT_OPTIONS = {
  baseUrl: origin,
  allowInsecure: boolean(false),
  interceptors: array(func<Interceptor>(), {
    expected: 'an array of functions',
    default: [],
  }),
  defaultTimeoutMs: optional(integer({ min: 1, max: MAX_INT_31, default: 1 })),
  acceptCompression: array(compression, {
    expected: `an array; each item must be ${COMPRESSION}`,
    default: [gzipCompression, brotliCompression],
  }),
  sendCompression: optional(compression),
  compressMinBytes: integer({ min: 0, max: MAX_INT_31, default: 1024 }),
  readMaxBytes: integer({ min: 1, max: 0xff_ff_ff_ff, default: 16 * MIB }),
  writeMaxBytes: integer({ min: 1, max: 0xff_ff_ff_ff, default: 16 * MIB }),
  streamWindowBytes: integer({ min: MIN_WINDOW, max: MAX_INT_31 >> 1, default: MIB }),
  readAheadBytes: integer({ min: 1, max: MAX_INT_31, default: MIB }),
  keepAlive,
  connectTimeoutMs: integer({ min: 1, max: MAX_INT_31, default: 20_000 }),
  idleTimeoutMs: integer({ min: 1, max: MAX_INT_31, default: 900_000 }),
  tls,
  proxy: proxyOption,
  createConnection: optional(func<CreateConnection>()),
  decoders,
} satisfies FieldsOf<StreamTransportOptions>

/** Options of a transport after they were checked. */
export interface TransportSettings extends Omit<InferFields<typeof STREAM_TRANSPORT_OPTIONS>, 'baseUrl'> {
  /** Address of the service. */
  readonly baseUrl: URL
}

/**
 * Rejects `proxy` together with `createConnection`.
 *
 * @param parent - Name of the option group, with a dot.
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 */
export function rejectProxyWithConnection(
  { proxy, createConnection }: Pick<TransportSettings, 'proxy' | 'createConnection'>,
  parent = '',
): void {
  if (proxy !== undefined && createConnection !== undefined)
    throw optionInvalid(`${parent}proxy`, `undefined if ${parent}createConnection is set`, 'an address')
}

/** Reads and checks the options. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function readTransportOptions(input: StreamTransportOptions): TransportSettings {
  const { baseUrl, ...read } = readOptions(optionInvalid, input, STREAM_TRANSPORT_OPTIONS)
  requireSecureOrigin(optionInvalid, 'baseUrl', baseUrl, read.allowInsecure)
  rejectProxyWithConnection(read)
  return { ...read, baseUrl: new URL(baseUrl) }
}
